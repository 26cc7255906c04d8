import HearthModel
import NIOCore

/// A channel's connections, made when a call needs one. For one event loop.
///
///     idle --call--> connecting --settings--> ready --GOAWAY, silence, end--> idle
///                        \--failed--> pausing --(a call after the pause)--> connecting
///     any --shutdown--> stopped
final class ChannelCore {
    private enum State {
        case idle
        case connecting(Attempt)
        case ready(ClientConnection)
        /// Calls until then fail at once with the reason of the last failure.
        case pausing(until: NIODeadline, CallEnd)
        case stopped
    }

    /// One attempt to connect, from the first packet until the server has spoken.
    private final class Attempt {
        var connection: ClientConnection?
        var timeout: Scheduled<Void>?
        var isOver = false
    }

    private let configuration: ClientConfiguration
    private let eventLoop: any EventLoop
    private var state = State.idle
    /// Calls that wait for the connection.
    private var waiting: [RunningCall] = []
    /// Connections that take no more calls and have some still.
    private var leaving: [ObjectIdentifier: ClientConnection] = [:]
    private var pause: TimeAmount

    /// A channel without a connection.
    init(_ configuration: ClientConfiguration, on eventLoop: any EventLoop) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        pause = configuration.pauseMin
    }

    /// Makes a call, as soon as there is a connection.
    func begin(_ call: RunningCall) {
        switch state {
        case .ready(let connection): connection.begin(call)
        case .connecting: waiting.append(call)
        case .idle:
            waiting.append(call)
            connect()
        case .pausing(let end, let failure):
            if .now() < end { return call.abandon(failure) }
            waiting.append(call)
            connect()
        case .stopped: call.abandon(.stopped(configuration.name))
        }
    }

    /// Refuses new calls, lets the calls under way end, then closes.
    func shutDown() {
        let former = state
        state = .stopped
        endWaiting(.stopped(configuration.name))
        switch former {
        case .idle, .pausing, .stopped: break
        case .connecting(let attempt): giveUp(attempt)
        case .ready(let connection): connection.drain()
        }
    }

    /// Ends all calls and closes.
    func close() {
        shutDown()
        for connection in leaving.values { connection.close(because: nil) }
    }

    // MARK: Connecting

    private func connect() {
        let attempt = Attempt()
        state = .connecting(attempt)
        attempt.timeout = eventLoop.assumeIsolated().scheduleTask(
            in: configuration.connectTimeout
        ) { [weak self] in self?.failed(attempt, because: TooSlow()) }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let loop = eventLoop
        let configuration = configuration
        configuration.dial(loop) { channel in
            // A dialer may try several addresses at once, each with a channel and a handler.
            let connection = ClientConnection(configuration, for: bound.value, on: loop)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandlers(connection.frameHandler(), connection)
        }.hop(to: loop).assumeIsolated().whenComplete { result in
            bound.value.dialed(attempt, result)
        }
    }

    private func dialed(_ attempt: Attempt, _ result: Result<any Channel, any Error>) {
        switch result {
        case .success(let channel):
            if attempt.isOver { return channel.close(promise: nil) }
            let pipeline = channel.pipeline.syncOperations
            guard let connection = try? pipeline.handler(type: ClientConnection.self) else {
                return failed(attempt, because: ChannelError.ioOnClosedChannel)
            }
            attempt.connection = connection
            if connection.isReady { ready(connection) }
            if connection.isClosed { failed(attempt, because: connection.cause) }
        case .failure(let error): failed(attempt, because: error)
        }
    }

    private func failed(_ attempt: Attempt, because error: (any Error)?) {
        if attempt.isOver { return }
        giveUp(attempt)
        let failure = CallEnd(configuration.unreachable(error), cause: error)
        state = .pausing(until: .now() + pause, failure)
        pause = min(pause + pause, configuration.pauseMax)
        endWaiting(failure)
    }

    private func giveUp(_ attempt: Attempt) {
        attempt.isOver = true
        attempt.timeout?.cancel()
        attempt.connection?.close(because: nil)
    }

    private func endWaiting(_ end: CallEnd) {
        let waiting = waiting
        self.waiting = []
        for call in waiting { call.abandon(end) }
    }
}

/// What connections tell.
extension ChannelCore {
    /// The server has spoken.
    func ready(_ connection: ClientConnection) {
        guard case .connecting(let attempt) = state, attempt.connection === connection else {
            return
        }
        attempt.isOver = true
        attempt.timeout?.cancel()
        state = .ready(connection)
        pause = configuration.pauseMin
        let waiting = waiting
        self.waiting = []
        for call in waiting where !call.isOver { connection.begin(call) }
    }

    /// The connection takes no more calls.
    func draining(_ connection: ClientConnection) {
        switch state {
        case .ready(connection): state = .idle
        case .stopped: break
        case .idle, .connecting, .ready, .pausing: return
        }
        leaving[ObjectIdentifier(connection)] = connection
    }

    /// The connection is closed.
    func ended(_ connection: ClientConnection) {
        leaving[ObjectIdentifier(connection)] = nil
        switch state {
        case .ready(connection): state = .idle
        case .connecting(let attempt) where attempt.connection === connection:
            failed(attempt, because: connection.cause)
        case .idle, .connecting, .ready, .pausing, .stopped: break
        }
    }
}

private func ~= (pattern: ClientConnection, value: ClientConnection) -> Bool { pattern === value }

extension CallEnd {
    fileprivate static func stopped(_ name: String) -> CallEnd {
        CallEnd(
            HearthError(code: .unavailable, message: "The connection to the \(name) is closed."))
    }
}

extension ClientConfiguration {
    /// No connection could be made.
    fileprivate func unreachable(_ error: (any Error)?) -> HearthError {
        let reason = error.map(explain) ?? "it closed the connection without a word"
        return HearthError(
            code: .unavailable, message: "The \(name) cannot be reached: \(reason).")
    }

    /// The connection ended under its calls.
    func ended(_ error: (any Error)?) -> HearthError {
        let reason = error.map { ": \(explain($0))" } ?? ""
        return HearthError(
            code: .unavailable, message: "The connection to the \(name) ended\(reason).")
    }
}

/// The server did not speak in time.
private struct TooSlow: Error, CustomStringConvertible {
    var description: String { "it does not answer" }
}
