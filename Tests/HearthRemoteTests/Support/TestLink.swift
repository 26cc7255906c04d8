import HearthEngine
import HearthModel
import HearthRealtime
import HearthRemote
import Testing

/// A connection to a Realtime Database; a test awaits its events one by one.
enum TestLink {
    static let first = StreamNumber(1)
    static let second = StreamNumber(2)
    static let instance = InstanceID(host: "demo.firebaseio.com", name: "demo")

    /// The address of a server that listens at a port of this machine.
    static func address(_ port: Int) throws -> RealtimeAddress {
        RealtimeAddress(
            try #require(instance), emulator: .tcp(host: "127.0.0.1", port: port))
    }

    /// Connects to a server while `body` runs.
    static func connected<Result>(
        to address: RealtimeAddress, as credentials: any Credentials = NoCredentials(),
        clock: any RemoteClock = SystemRemoteClock(),
        _ body: (RealtimeConnection, inout Events) async throws -> Result
    ) async throws -> Result {
        try await connected(
            RealtimeConnection.Configuration(
                address: address, identity: LinkIdentity(credentials)), clock: clock, body)
    }

    /// Connects as configured while `body` runs.
    static func connected<Result>(
        _ configuration: RealtimeConnection.Configuration,
        clock: any RemoteClock = SystemRemoteClock(),
        _ body: (RealtimeConnection, inout Events) async throws -> Result
    ) async throws -> Result {
        let (stream, continuation) = AsyncStream.makeStream(of: RealtimeUpstreamEvent.self)
        let connection = RealtimeConnection(configuration, clock: clock) { continuation.yield($0) }
        var events = Events(iterator: stream.makeAsyncIterator())
        let result = try await body(connection, &events)
        connection.perform(.close(StreamNumber(.max)))
        return result
    }

    /// The events in the order in which they came.
    struct Events {
        fileprivate var iterator: AsyncStream<RealtimeUpstreamEvent>.AsyncIterator

        /// Waits for the next one.
        mutating func next() async -> RealtimeUpstreamEvent? { await iterator.next() }

        /// Waits for the end of a link, and returns its error.
        mutating func failure() async -> HearthError? {
            while let event = await next() {
                if case .closed(_, let error) = event { return error }
            }
            return nil
        }

        /// Waits until a link is open, and returns whether that came at once.
        mutating func isOpened(_ number: StreamNumber = TestLink.first) async -> Bool {
            guard case .opened(number, _)? = await next() else { return false }
            return true
        }
    }
}
