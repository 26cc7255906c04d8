import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import NIOCore

/// Calls that the backend answers in its own words: what the engine has no word for.
extension GatewayCall {
    /// Has the backend answer the call, under the daemon's identity and the program's rights.
    ///
    /// The request goes as it came, and the answer comes as it was made.
    ///
    /// - Parameter fallback: Lets the cache answer if the backend does not; `nil` for what only the
    ///   backend can answer.
    /// - Throws: Why the request is refused at once.
    func forward(
        _ method: FirestoreMethod, _ request: ByteBuffer, or fallback: CacheFallback? = nil
    ) throws(HearthError) {
        var forwarded = try ForwardedRequest(method, request, in: session.database)
        for need in forwarded.needs { try session.check(need.right, need.scope) }
        if !forwarded.retried.isEmpty, !session.hasBegun(forwarded.retried) {
            forwarded = try ForwardedRequest(
                method, request, in: session.database, namesRetried: false)
        }
        switch forwarded.transactionUse {
        case .joins:
            if let broken = session.brokenLine { return fail(broken) }
            try session.checkBegun(forwarded.transaction)
            sendWithinBudget(method, forwarded)
        case .begins:
            if let refusal = session.offlineRefusal(of: "A transaction", as: mode.offlineStatus) {
                return fail(refusal)
            }
            afterOwnWrites { [forwarded] in sendWithinBudget(method, forwarded) }
        case .none, .beginsInPast:
            if let refusal = session.backendRefusal(of: method, as: mode.offlineStatus) {
                if let fallback { return fallback.failed() }
                return fail(refusal)
            }
            sendWithinBudget(method, forwarded, or: fallback)
        }
    }

    /// Sends a request that the access rules allow, if the request reads nothing or the program's
    /// budget is not used up.
    private func sendWithinBudget(
        _ method: FirestoreMethod, _ forwarded: ForwardedRequest, or fallback: CacheFallback? = nil
    ) {
        guard session.connection.settings.stopsAtBudget,
            ForwardedTally(method, forwarded) != nil
        else { return send(method, forwarded, or: fallback) }
        ask({ .checkBudget($0) }) { delivery in
            if let fallback, fallback.isOver { return false }
            if case .refuse(_, let error) = delivery {
                fallback?.end()
                fail(error)
            } else {
                send(method, forwarded, or: fallback)
            }
            return false
        }
    }

    /// Does something when the backend has answered all that the session has written.
    ///
    /// Else a transaction would not see its own program's writes. If the backend takes longer than
    /// `mode.patience`, the call fails, or the cache answers, which has the writes.
    func afterOwnWrites(or fallback: CacheFallback? = nil, _ body: @escaping () -> Void) {
        let wait = OwnWritesWait(self, or: fallback, then: body)
        ask({ .waitForPendingWrites($0, .own(last: .none)) }) { delivery in
            wait.heard(delivery)
            return false
        }
        wait.begin()
    }

    /// Sends a request that may be sent.
    private func send(
        _ method: FirestoreMethod, _ forwarded: ForwardedRequest, or fallback: CacheFallback?
    ) {
        let (stream, session) = (stream, session)
        var hasAnswered = false
        var isUnnamed = forwarded.transactionUse.begins
        var tally = ForwardedTally(method, forwarded)
        let exchange = DoorExchange(session) { message in
            hasAnswered = true
            fallback?.end()
            tally?.take(message)
            // In front of the client, who may use the name at once by another connection.
            if isUnnamed, let id = method.transaction(in: message) {
                isUnnamed = false
                session.noteBegun(id)
            }
            stream.sender.send(message)
            return stream.takesMore
        } finish: { end in
            if let bill = tally?.bill(isFailed: end.error != nil) {
                session.gather(.bill(session: session.id, bill))
            }
            if method == .rollback, end.error == nil { session.noteEnded(forwarded.transaction) }
            let refusal = hasAnswered ? nil : refusal(of: method, forwarded, after: end)
            if !hasAnswered, let fallback, end.letsCacheAnswer {
                // What the backend itself said stays as the backend said it.
                let word = { stream.end(end.error, end.trailing) }
                return fallback.failed(refusal == nil ? word : nil)
            }
            fallback?.end()
            if let refusal { return fail(refusal) }
            stream.end(end.error, end.trailing)
        }
        fallback?.sent(exchange)
        stream.whenGone { exchange.abandon() }
        stream.whenWritable { exchange.wantMore() }
        start(exchange, method, forwarded, or: fallback)
    }

    /// What a call is refused with that failed because the daemon is offline; `nil` for a call that
    /// failed otherwise, for a transaction under way, and for a write, which may have been done.
    private func refusal(
        of method: FirestoreMethod, _ forwarded: ForwardedRequest, after end: DoorEnd
    ) -> GatewayError? {
        guard let error = end.error, !method.isWrite,
            session.isOffline(after: error) || end.isLost
        else { return nil }
        return switch forwarded.transactionUse {
        case .joins: nil
        case .begins: .offline("A transaction", as: mode.offlineStatus, because: error)
        case .none, .beginsInPast: .needsBackend("This \(method.rawValue)", as: mode.offlineStatus)
        }
    }

    /// Begins an exchange with the backend, if the program's user has not too many.
    func start(
        _ exchange: DoorExchange, _ method: FirestoreMethod, _ forwarded: ForwardedRequest,
        or fallback: CacheFallback? = nil
    ) {
        let connection = session.connection
        if let refusal = connection.refusalOfAnswer {
            fallback?.end()
            return fail(refusal)
        }
        let (uid, countMax) = (connection.peer.payer, connection.settings.gateway.forwardCountMax)
        guard connection.gateway.forwardedCalls.enter(uid, countMax: countMax) else {
            fallback?.end()
            return fail(.tooManyForwarded(uid, countMax))
        }
        exchange.begin(doorRequest(method, forwarded))
    }

    private func doorRequest(
        _ method: FirestoreMethod, _ forwarded: ForwardedRequest
    ) -> DoorRequest {
        var request = DoorRequest(
            method.rawValue, forwarded.message, routing: forwarded.routing,
            timeout: deadline.map { .nanoseconds(max(0, ($0 - .now()).nanoseconds)) })
        request.via = head.via
        return request
    }
}

extension DoorEnd {
    /// Whether the cache may answer a read instead: nobody has answered it.
    fileprivate var letsCacheAnswer: Bool {
        error?.code == .unavailable || error?.code == .deadlineExceeded
    }

    /// The metadata with the backend's details.
    var trailing: CallMetadata {
        var metadata = CallMetadata()
        if !details.isEmpty { metadata.add(CallMetadata.statusDetails, bytes: details) }
        return metadata
    }
}

extension GatewaySession {
    /// Why the backend cannot be reached; `nil` if it can, as far as anybody knows.
    ///
    /// The engine knows best. While it has no reason to speak to the backend, the door knows.
    var unreachable: HearthError? {
        switch reach {
        case .online: return nil
        case .offline:
            return HearthError(code: .unavailable, message: "The daemon is offline.")
        case .unknown:
            guard case .unreachable(let error) = service.door.reach else { return nil }
            return error
        }
    }

    /// Whether a call failed because the backend cannot be reached.
    ///
    /// The engine may have found out while the door still believed the last call that went well.
    func isOffline(after error: HearthError) -> Bool {
        guard error.code == .unavailable else { return false }
        return unreachable != nil || engineState == .offline
    }

    /// The end of a transaction under way whose line is broken: what it would be without the daemon.
    var brokenLine: HearthError? {
        guard let unreachable else { return nil }
        service.door.knock()
        return HearthError(code: .unavailable, message: unreachable.message)
    }

    /// Refuses what needs a backend that cannot be reached; `nil` if it can.
    func offlineRefusal(of what: String, as code: StatusCode) -> GatewayError? {
        guard let unreachable else { return nil }
        service.door.knock()  // So that the next call finds out whether this still holds.
        return .offline(what, as: code, because: unreachable)
    }

    /// Refuses a method that only the backend has, if the backend cannot be reached.
    func backendRefusal(of method: FirestoreMethod, as code: StatusCode) -> GatewayError? {
        guard unreachable != nil else { return nil }
        service.door.knock()
        return .needsBackend("This \(method.rawValue)", as: code)
    }
}

extension FirestoreMethod {
    /// Whether a call changes documents.
    fileprivate var isWrite: Bool {
        switch self {
        case .createDocument, .updateDocument, .deleteDocument, .commit, .batchWrite, .write: true
        case .getDocument, .listDocuments, .batchGetDocuments, .beginTransaction, .rollback,
            .runQuery, .executePipeline, .runAggregationQuery, .partitionQuery, .listen,
            .listCollectionIds:
            false
        }
    }
}

extension HearthError {
    fileprivate static func tooManyForwarded(_ uid: UInt32, _ countMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "User \(uid) has \(countMax) calls at the backend already. Wait for some "
                + "of them, or raise gateway.uidForwardCountMax.")
    }
}
