import HearthEngine
import HearthModel

/// Writes that the backend applies once, even if answers are lost.
extension RealtimeEngine {
    /// Whether writes may be sent on the open connection, as far as the fence is concerned.
    var fenceAdmitsWrites: Bool { fence?.admitsWrites ?? true }

    /// Sets up the fence, if the host wants one.
    mutating func loadFence(_ store: any RealtimeTransaction) throws(StoreError) {
        guard let path = configuration.fence else { return }
        if globals.daemon.isEmpty {
            globals.daemon = randomName()
            try store.setGlobals(globals)
        }
        fence = Fence(at: path, daemon: globals.daemon)
    }

    /// A name that nobody else draws; the chance of waits does not depend on it.
    private func randomName() -> String {
        var chance = random
        return String(chance.next(), radix: 16)
    }

    /// The connection has opened; listens are on their way, and writes wait.
    mutating func fenceLinkOpened(_ number: StreamNumber, _ effects: inout Effects) {
        let name = "\(serverTime(at: effects.now))-\(number.rawValue)-\(randomName())"
        let requests = fence?.linkOpened(as: ChildKey(unchecked: name)) ?? []
        send(requests, &effects)
    }

    /// The connection is gone.
    mutating func fenceLinkClosed(_ effects: inout Effects) {
        guard fence != nil else { return }
        fence?.linkClosed()
        effects.actions.append(.cancel(.fence))
    }

    private mutating func send(_ requests: [Fence.Request], _ effects: inout Effects) {
        for request in requests { send(request.action, expecting: .fence(request.call), &effects) }
    }

    /// The fence has waited for an earlier connection to end.
    mutating func fenceWaited(_ effects: inout Effects) {
        send(fence?.waited() ?? [], &effects)
    }

    /// The backend answered something that was asked for the fence's sake.
    mutating func fenceAnswered(
        _ call: Fence.Call, _ answer: RealtimeAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        guard let place = fence?.place else { return }
        guard answer.status == .ok else {
            let error = answer.status.error(at: place, answer.body.text ?? "")
            return try follow(fence?.failed(call, error), &turn)
        }
        var node = Node.empty
        if call == .reading {
            do throws(NodeError) {
                node = try answer.body.readNode()
            } catch {
                let fault = HearthError(
                    code: .internalError, message: "The service answered with no node. \(error)")
                return try failConnection(fault, &turn)
            }
        }
        let hasDoubt = try turn.store.nextWrite(after: .none, of: user)?.isInDoubt ?? false
        try follow(fence?.succeeded(call, node, hasDoubt: hasDoubt), &turn)
    }

    private mutating func follow(_ step: Fence.Step?, _ turn: inout Turn) throws(StoreError) {
        switch step {
        case nil, .none?: break
        case .wait(let delay, let isLong)?:
            turn.effects.actions.append(.schedule(.fence, after: delay))
            if isLong, !isFenceAwaited { turn.effects.actions.append(.note(.fenceAwaited)) }
            isFenceAwaited = isFenceAwaited || isLong
        case .opened(let applied, let lost, let requests)?:
            if isFenceDenied || isFenceAwaited {
                turn.effects.actions.append(.note(.fenceAllowed))
            }
            (isFenceDenied, isFenceAwaited) = (false, false)
            if !lost.isEmpty {
                turn.effects.actions.append(.note(.fenceLost(connectionCount: lost.count)))
            }
            try settleDoubt(applied, isLost: !lost.isEmpty, &turn)
            for write in applied where try turn.store.user(of: write) != nil {
                fence?.keepMark(of: write)
            }
            send(requests, &turn.effects)
            hasUnsentWrites = false  // What is left to send, the queue tells anew.
            try fillPipeline(&turn)
        case .denied(let error)?:
            if !isFenceDenied { turn.effects.actions.append(.note(.fenceDenied(error))) }
            (isFenceDenied, isFenceAwaited) = (true, false)
            hasUnsentWrites = false
            try fillPipeline(&turn)
        }
    }

    /// Of the writes in doubt, the backend has these; the others are sent again.
    ///
    /// - Parameter isLost: Whether the backend may have others too. What adds to what is there is
    ///   then put aside: nobody but an operator may say that it is sent again.
    /// - Complexity: O(writes in doubt), which are as many as fit on a connection.
    private mutating func settleDoubt(
        _ applied: Set<BatchID>, isLost: Bool, _ turn: inout Turn
    ) throws(StoreError) {
        var last = BatchID.none
        while let write = try turn.store.nextWrite(after: last, of: user), write.isInDoubt {
            last = write.id
            if applied.contains(write.id) {
                try commit(write, &turn)
            } else if isLost, write.change.addsToWhatIsThere {
                try bury(write, .endNeverNoted, mayHaveBeenApplied: true, isInDoubt: true, &turn)
            }
        }
    }

    /// The request to send for a write.
    mutating func action(for write: QueuedWrite) -> RealtimeAction {
        let marked = fence?.marked(write.change, write.id)
        return (marked ?? write.change).action
    }
}

extension HearthError {
    /// A write that adds to the present value has no mark, and its connection no end.
    fileprivate static let endNeverNoted = HearthError(
        code: .aborted,
        message: "The connection ended before the answer to the write, which adds to what is "
            + "there, and the backend never noted the connection's end. It may have been applied; "
            + "sent again, it could add twice.")
}
