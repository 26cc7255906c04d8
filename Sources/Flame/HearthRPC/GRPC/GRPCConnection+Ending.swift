import NIOCore

/// How a connection ends well.
extension GRPCConnection {
    /// Ends well: tells the client, answers the calls under way, then closes the connection.
    func stop() {
        _ = schedule(in: ConnectionLimits.drainTimeout) { [self] in
            context?.close(promise: nil)
        }
        guard case .no = drain else { return }  // A client that has half-closed is ending already.
        drain = .announced
        machine.goAway(last: .greatest, .noError)
        // Calls that are on the way arrive before the answer to this ping.
        machine.ping()
        scheduleFlush()
        _ = schedule(in: ConnectionLimits.drainPingTimeout) { [self] in
            if case .announced = drain { drainFinally() }
        }
    }

    /// Takes no more calls, and ends those that would go on for ever.
    func drainFinally() {
        drain = .final
        machine.goAway(last: machine.lastStream, .noError)
        for call in Array(calls.values) { call.stop() }
        scheduleFlush()
    }

    /// Answers the requests that came before the client's end, then closes the connection.
    ///
    /// A client that was killed looks the same as a client that is done, so the listeners of both
    /// end here.
    func inputClosed() {
        drain = .final
        for call in Array(calls.values) { call.inputClosed() }
        scheduleFlush()
    }

    /// Closes the connection once its last call is over.
    func closeIfDrained() {
        guard case .final = drain, calls.isEmpty, !isClosing, let context else { return }
        isClosing = true
        machine.goAway(last: machine.lastStream, .noError)
        guard let bytes = takeOutput() else { return }
        // These bytes are behind all answers, so the answers have left when the bytes have.
        let left = eventLoop.makePromise(of: Void.self)
        left.futureResult.assumeIsolated().whenComplete { [self] _ in
            self.context?.close(promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: left)
    }
}
