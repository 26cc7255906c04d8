import HearthFirestore
import HearthModel
import HearthRemote

/// A channel and an upstream; a test awaits the upstream's events one by one.
enum TestUpstream {
    static let database = DatabaseID(project: "p")

    /// Connects to a backend while `body` runs.
    static func connected<Result>(
        to address: BackendAddress, as credentials: any Credentials = NoCredentials(),
        by security: FirestoreChannel.Security = .plaintext, via: String = "",
        watch: @escaping @Sendable (HearthError?) -> Void = { _ in },
        _ body: (FirestoreChannel, FirestoreConnection, inout Events) async throws -> Result
    ) async throws -> Result {
        var parts = FirestoreChannel.Configuration(
            database: database, address: address, security: security,
            credentials: credentials, watch: watch)
        parts.via = via
        let channel = try FirestoreChannel(parts)
        let (stream, continuation) = AsyncStream.makeStream(of: UpstreamEvent.self)
        let connection = FirestoreConnection(channel) { continuation.yield($0) }
        var events = Events(iterator: stream.makeAsyncIterator())
        defer { channel.close() }
        return try await body(channel, connection, &events)
    }

    /// The events in the order in which they came.
    struct Events {
        fileprivate var iterator: AsyncStream<UpstreamEvent>.AsyncIterator

        /// Waits for the next one.
        mutating func next() async -> UpstreamEvent? { await iterator.next() }
    }
}
