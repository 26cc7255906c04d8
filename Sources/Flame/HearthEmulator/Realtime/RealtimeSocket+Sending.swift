import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import NIOWebSocket

/// Sending.
extension RealtimeSocket {
    /// Writes an answer at once, before the messages that wait.
    func write(_ answer: RealtimeAnswer) {
        write(RealtimeCodec.encode(answer))
    }

    /// Tells the client when its token ends, and takes the token's rights then.
    ///
    /// - Parameter end: Seconds since 1970; `nil` for a token without an end.
    private func awaitEnd(of end: Int64?) {
        tokenEnd?.cancel()
        tokenEnd = nil
        guard let context, let id, let end else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        tokenEnd = context.eventLoop.scheduleTask(in: host.wait(until: end)) {
            bound.value.tokenEnded(id)
        }
    }

    private func tokenEnded(_ id: RealtimeConnectionID) {
        write(
            RealtimeCodec.encode(
                .authRevoked(.expiredToken, reason: "Auth token is expired.")))
        writer?.flush()
        host.signOut(id)
    }

    /// Writes a message in as many frames as it takes; `flush` sends them.
    func write(_ message: [UInt8]) {
        if maySend() { writer?.write(message) }
    }

    /// Whether no fault ends the connection instead of the next message.
    private func maySend() -> Bool {
        if faults?.call.sends() ?? true { return true }
        writer?.flush()
        close()
        return false
    }

    /// Sends what waits, for as long as the client keeps up: all at once.
    func sendMore() {
        var isEmptied = false
        while !isEmptied, let writer, writer.isWritable, !isResting {
            guard let next = outbox?.next() else {
                isEmptied = true
                break
            }
            send(next.message)
            rest()
            isEmptied = next.isLast
        }
        writer?.flush()
        if isEmptied { becameReady() }
    }

    /// Lets changes for many go past the outbox, which is empty.
    ///
    /// Not if the connection has faults: each message may be the one that a fault befalls.
    private func becameReady() {
        guard !isReady, faults == nil, let id, let socket = writer?.readySocket else { return }
        isReady = true
        outbox?.loop?.setReady(id, socket)
    }

    /// Lets changes for many wait in the outbox: the socket takes no more.
    func becameUnready() {
        guard isReady, let id else { return }
        isReady = false
        outbox?.loop?.setReady(id, nil)
    }

    /// Lets the next message wait, if a fault slows the connection down.
    private func rest() {
        guard let delay = faults?.call.messageDelay, delay > .zero, let context else { return }
        isResting = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(delay)) {
            bound.value.isResting = false
            bound.value.sendMore()
        }
    }

    private func send(_ message: RealtimeOutbox.Message) {
        switch message {
        case .push(let change, let tag):
            if maySend() { writer?.write(change, tag: tag) }
        case .revoke(let path, let query, _):
            // A default listen, which tells all whatever the order, has no query on the wire.
            write(RealtimeCodec.encode(.revoked(path, query.isComplete ? [] : [query])))
        case .answer(let answer, let number):
            if lostAnswers.contains(number) { return close() }
            switch answer {
            case .authenticated(_, let end): awaitEnd(of: end)
            case .unauthenticated: awaitEnd(of: nil)
            case .done, .listening, .value, .refused: break
            }
            write(RealtimeAnswer(answer, number: number))
        case .lost: close()
        }
    }
}

extension RealtimeAnswer {
    /// The answer to a request of the backend.
    fileprivate init(_ answer: RealtimeBackend.Answer, number: Int) {
        switch answer {
        case .done: self.init(number: number)
        case .authenticated(let caller, let end):
            var members = [JSONValue.Member(name: "auth", value: caller.auth)]
            if let end { members.append(.init(name: "expires", value: .integer(end))) }
            self.init(number: number, body: .value(.object(members)))
        case .unauthenticated: self.init(number: number, body: .text("unauthenticated"))
        case .listening(let warnings):
            self.init(number: number, body: .warnings(warnings.map(\.rawValue)))
        case .value(let node): self.init(number: number, body: .node(node))
        case .refused(let refusal):
            self.init(
                number: number, status: RealtimeStatus(refusal.status.rawValue),
                body: .text(refusal.reason))
        }
    }
}
