import HearthEngine
import HearthModel

/// What happens when a program or its machine is gone.
extension RealtimeEngine {
    /// Whether an order waits for the backend, or stands there only while the connection stands.
    var onDisconnectsNeedBackend: Bool { onDisconnects.needsLink }

    /// A session orders what happens when it is gone.
    mutating func orderOnDisconnect(
        _ id: RequestID, _ order: OnDisconnectOrder, _ scope: OnDisconnectScope, _ writer: Writer,
        _ effects: inout Effects
    ) {
        if case .write(let change) = order, let error = refusal(of: change) {
            effects.actions.append(.refuse(id, error))
            return
        }
        onDisconnects.owners = gate.limits.owners
        if case .write(let change) = order,
            let error = memoryRefusal(
                of: writer.uid, StandingOrder.heldByteCount(of: change), &effects)
        {
            effects.actions.append(.refuse(id, error))
            return
        }
        tell(onDisconnects.take(id, order, scope, writer, of: user), &effects)
        sendOnDisconnects(&effects)
    }

    /// What a session ordered at these places must not be done.
    mutating func denyOrders(
        at places: [WritePath], of session: UInt64, _ error: HearthError, _ effects: inout Effects
    ) {
        tell(onDisconnects.deny(places, of: session, because: error), &effects)
        sendOnDisconnects(&effects)
    }

    /// Asks the open connection for what waits.
    private mutating func sendOnDisconnects(_ effects: inout Effects) {
        guard connection.openNumber != nil else { return }
        for request in onDisconnects.takeRequests() {
            send(request.action, expecting: .onDisconnect(request.errand), &effects)
        }
    }

    /// The backend answered an order, or the taking back of some.
    mutating func onDisconnectAnswered(
        _ errand: Int64, _ answer: RealtimeAnswer, _ effects: inout Effects
    ) {
        let error =
            answer.status == .ok
            ? nil : answer.status.error(at: .root, answer.body.text ?? "")
        tell(onDisconnects.answered(errand, error), &effects)
    }

    private func tell(_ replies: [OnDisconnectTree.Reply], _ effects: inout Effects) {
        for reply in replies {
            switch reply {
            case .complete(let id): effects.actions.append(.complete(id))
            case .refuse(let id, let error): effects.actions.append(.refuse(id, error))
            }
        }
    }

    // MARK: A program is gone

    /// A session is gone: what it ordered is done.
    mutating func carryOutOrders(
        ofSession session: UInt64, _ turn: inout Turn
    ) throws(StoreError) {
        let farewells = onDisconnects.sessionEnded(session)
        if farewells.isEmpty { return }
        try turn.store.enter(.writeLocally)
        for farewell in farewells {
            // If no more fits, the backend keeps the order until the connection ends. There is memory:
            // the order counts for the write too.
            if try queueRefusal(of: farewell.writer.uid, &turn) != nil { continue }
            let id = try queue(farewell, &turn)
            guard farewell.endsWithLink else { continue }
            onDisconnects.queued(farewell.number, as: id)
            try turn.store.setRecord(
                WriteRecord(batch: id, outcome: .pending), of: .farewell(id))
        }
        try fillPipeline(&turn)
    }

    /// Puts the write of an ended program in the queue of the user for whom it was ordered.
    private mutating func queue(
        _ farewell: OnDisconnectTree.Farewell, _ turn: inout Turn
    ) throws(StoreError) -> BatchID {
        let (change, writer) = (farewell.change, farewell.writer)
        guard farewell.user == user else {
            return try queueUnseen(change, of: farewell.user, by: writer, &turn).id
        }
        let id = try queue(
            change, taking: change.heldByteCount, by: writer, for: nil, &turn)
        transactionsOverridden(by: change, &turn.effects)
        return id
    }

    /// Another Firebase user has signed in, and the connection is closed.
    mutating func endOrdersOfUserBefore(_ effects: inout Effects) {
        let error = HearthError(
            code: .cancelled,
            message: "Another user signed in before the backend had the order for the "
                + "connection's end. Give the order again if it is the new user's too.")
        tell(onDisconnects.userChanged(because: error), &effects)
    }

    /// A write left the queue. If it was an ended program's, the backend forgets the order.
    mutating func farewellSettled(_ write: BatchID, _ turn: inout Turn) throws(StoreError) {
        guard onDisconnects.settled(write) else { return }
        try forgetFarewell(write, turn.store)
        sendOnDisconnects(&turn.effects)
    }

    private func forgetFarewell(
        _ write: BatchID, _ store: any RealtimeTransaction
    ) throws(StoreError) {
        let identity = WriteIdentity.farewell(write)
        try store.removeRecords(
            of: identity.client, uid: identity.uid, below: identity.sequence + 1)
    }

    // MARK: The connection

    /// The connection has opened; listens and writes are on their way.
    mutating func onDisconnectLinkOpened(_ effects: inout Effects) {
        sendOnDisconnects(&effects)
    }

    /// The connection is gone: the backend does what was ordered, and so does the cache.
    ///
    /// The late farewells are then to be dropped.
    ///
    /// - Returns: The writes at places that listens want whole; the store shall have these writes.
    mutating func onDisconnectLinkClosed(_ effects: inout Effects) -> [CompoundWrite.Part] {
        let remains = onDisconnects.linkClosed()
        var done: [CompoundWrite.Part] = []
        for change in remains.changes {
            for part in change.parts {
                done += showAsDone(part, &effects)
            }
            transactionsOverridden(by: change, &effects)
        }
        tell(remains.replies, &effects)
        hasLateFarewells = hasLateFarewells || !remains.dropped.isEmpty
        return done
    }

    /// Takes a part of an order into the server's tree, as the backend does at this moment.
    ///
    /// - Returns: The part's node now, if listens want the whole place; otherwise the nodes of the places
    ///   below that listens want whole. The connection is gone already, so the backend was asked for none
    ///   of these listens.
    private mutating func showAsDone(
        _ part: RealtimeChange.Part, _ effects: inout Effects
    ) -> [CompoundWrite.Part] {
        let place = part.place
        let known = tree.completeServerNode(at: place.path) ?? .empty
        let existing = place.isPriority ? known.priorityNode : known
        let node = part.node.resolved(over: existing, at: serverTime(at: effects.now))
        tell(tree.overwrite(place, node), &effects)
        if listens.wantsWhole(place.path) { return [(place, node)] }
        return listens.wholeParts(of: node, at: place)
    }

    /// Drops the writes of ended programs that were sent on a connection that is gone: the backend
    /// made these writes at the connection's end, and sent again they could replace newer news.
    mutating func dropLateFarewells(_ turn: inout Turn) throws(StoreError) {
        guard hasLateFarewells else { return }
        hasLateFarewells = false
        let store = turn.store
        let any = WriteIdentity.farewell(.none)
        for id in try store.pendingWrites(of: any.client, uid: any.uid) {
            if let user = try store.user(of: id), let write = try store.write(id, of: user) {
                try store.removeWrite(id, of: user)
                try revert(write, .rejected(.farewellDropped, mayHaveBeenApplied: true), &turn)
            }
            try forgetFarewell(id, store)
        }
    }
}

extension WriteIdentity {
    /// The identity of an ended program's write; the store finds the write by this identity after a
    /// restart.
    fileprivate static func farewell(_ write: BatchID) -> WriteIdentity {
        WriteIdentity(
            uid: .max, client: ClientID(high: .max, low: .max),
            sequence: UInt64(max(0, write.rawValue)))
    }
}

extension HearthError {
    /// A write of an ended program is not sent on another connection.
    fileprivate static let farewellDropped = HearthError(
        code: .cancelled,
        message: "The connection ended before the backend answered the write of a program that "
            + "had ended. The backend makes such a write itself when a connection ends.")
}
