import HearthModel
import HearthWire
import Synchronization

/// The client's own thread: it connects, reads, and writes the bytes that the callers' threads
/// could not write.
extension Client {
    /// Runs until the client is closed.
    func run() {
        var random = SystemRandomNumberGenerator()
        var pause = pause
        while true {
            while true {
                let (isClosed, isWanted) = state.withLock {
                    ($0.isClosed, $0.machine.wantsConnection)
                }
                if isClosed { return tellEnd() }
                if isWanted { break }
                wake.wait()
            }
            let reason: String
            do throws(UnixSocket.Failure) {
                let path = state.withLock { $0.machine.configuration.socketPath }
                ClientLog.note("connecting to \(path)")
                let socket = try UnixSocket.connect(to: path)
                reason = serve(socket, &pause)
            } catch {
                reason = error.description
            }
            ClientLog.note("no connection: \(reason)")
            let until = clock.now + pause.next(using: &random)
            rest(until: until, reason: reason)
        }
    }

    private func tellEnd() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.endWaiters = [] }
            return state.endWaiters
        }
        for waiter in waiters { waiter() }
    }

    /// Waits before the next attempt to connect. Requests whose time is up fail meanwhile.
    private func rest(until: Duration, reason: String) {
        while true {
            let now = clock.now
            change { $0.machine.timePassed(now: now, reason: reason) }
            let (isClosed, deadline) = state.withLock { ($0.isClosed, $0.machine.nextDeadline) }
            guard !isClosed, now < until else { return }
            clock.wait(wake, until: min(until, deadline ?? until), socket: nil)
        }
    }

    /// Reads and writes until the connection is lost.
    ///
    /// - Returns: Why the connection was lost.
    private func serve(_ socket: UnixSocket, _ pause: inout ReconnectPause) -> String {
        change { state in
            state.line = OutgoingLine(socket)
            return state.machine.opened()
        }
        var decoder = FrameDecoder()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var reason = "it does not greet"
        var received: Int32?
        reading: while true {
            switch socket.read(into: &buffer, received: &received) {
            case .bytes(let count):
                if let received { take(descriptor: received) }
                do throws(FrameError) {
                    try receive(buffer.span.bytes.extracting(0..<count), &decoder)
                } catch {
                    reason = "\(error)"
                    break reading
                }
                if state.withLock({ $0.machine.isOpen }) { pause.reset() }
                // The socket gave fewer bytes than the buffer holds, so the socket is empty now.
                // `flush` waits until more bytes come.
                guard count == buffer.count || flush(socket) else {
                    reason = "the connection broke"
                    break reading
                }
            case .wouldBlock:
                guard flush(socket) else {
                    reason = "the connection broke"
                    break reading
                }
            case .closed(let text):
                reason = text
                break reading
            }
        }
        dropSharedReads()
        let now = clock.now
        change { state in
            state.line = OutgoingLine()
            return state.machine.lost(at: now)
        }
        return reason
    }

    /// Writes a stretch, and the bytes that other threads put on the line meanwhile.
    ///
    /// - Returns: The outcome of the last write, and whether bytes are left that the socket does
    ///   not take now.
    func write(_ first: OutgoingLine.Stretch) -> (outcome: UnixSocket.Outcome, isStuck: Bool) {
        var stretch = first
        while true {
            let outcome = stretch.socket.write(stretch.bytes)
            let (next, isStuck) = state.withLock { state in
                (state.line.wrote(stretch, outcome), state.line.isStuck)
            }
            guard let next else { return (outcome, isStuck) }
            stretch = next
        }
    }

    /// Writes the bytes that are left, or waits until the socket can be read or written, or until a
    /// caller wakes the thread.
    ///
    /// - Returns: Whether the connection still stands.
    private func flush(_ socket: UnixSocket) -> Bool {
        let (stretch, deadline) = state.withLock { state in
            (state.line.resume(), state.machine.nextDeadline)
        }
        let written = stretch.map(write)
        if case .closed? = written?.outcome { return false }
        if deadline != nil {
            let now = clock.now
            change { $0.machine.timePassed(now: now, reason: "it does not greet") }
        }
        tellReads()
        let next = [deadline, readNames.withLock { $0.dueAt }].compactMap(\.self).min()
        clock.wait(wake, until: next, socket: (socket.descriptor, written?.isStuck == true))
        return true
    }

    /// Decodes the bytes that have come, outside the lock, and hands the events to the machine.
    private func receive(_ chunk: RawSpan, _ decoder: inout FrameDecoder) throws(FrameError) {
        var codec = state.withLock { state in
            state.line.pause()
            if state.machine.pulse.isWatched { state.machine.pulse.heard(at: clock.now) }
            return state.machine.codec
        }
        var news: [(number: UInt64, event: Result<Event, WireError>)] = []
        let result = Result { () throws(FrameError) in
            try decoder.receive(chunk) { kind, number, body in
                let event = Result { () throws(WireError) in
                    try codec.event(kind: kind, body: body)
                }
                news.append((number, event))
                guard case .success(.welcome(let welcome)) = event else { return }
                ClientLog.note(
                    "session \(welcome.sessionID) in \(welcome.database) of hearthd "
                        + "\(welcome.daemonVersion)")
                take(news)  // The session's own codec reads all later frames.
                news = []
                codec = state.withLock { $0.machine.codec }
            }
        }
        take(news)
        try result.get()
    }

    private func take(_ news: [(number: UInt64, event: Result<Event, WireError>)]) {
        guard !news.isEmpty else { return }
        change { state in
            news.flatMap { number, event in
                switch event {
                case .success(let event): state.machine.received(event, number: number)
                case .failure(let error): state.machine.receivedUnreadable(error, number: number)
                }
            }
        }
    }
}
