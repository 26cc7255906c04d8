import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthWire

extension SessionMachine {
    /// A request of an open session.
    mutating func asked(_ request: Request, _ number: UInt64) -> [Action] {
        if let refusal = accessRefusal(of: request) { return refuse(number, refusal) }
        switch request {
        case .hello:
            return end(.init(code: .failedPrecondition, message: "Hello has come before."))
        case .unlisten: return unlistened(number)
        case .unlistenToSync: return unlistenedToSync(number)
        case .loadBundle(let part): return received(part, number)
        case .ping, .get, .listen, .write, .waitForPendingWrites, .waitForOwnWrites,
            .listenToSync, .getNamedQuery, .readDocuments, .commit, .aggregate, .buildBundle,
            .explain, .manageIndexes, .clearPersistence, .voteNetwork, .getStatus, .inspect,
            .listQueue,
            .listDeadLetters, .listCollections, .setNetwork, .steerQueue, .authenticate, .reload:
            break
        }
        guard owed[number] == nil, unsettled[number] == nil else {
            return end(
                .init(
                    code: .invalidArgument,
                    message: "The number \(number) is in use; never use a number twice."))
        }
        if let refusal = refusal(of: request) { return [.reply(.failed(refusal), number)] }
        return admitted(request, number)
    }

    private mutating func admitted(_ request: Request, _ number: UInt64) -> [Action] {
        let id = RequestID(session: configuration.session, number: number)
        switch request {
        case .ping: return [.reply(.done, number)]
        case .get(let query, let source):
            owed[number] = .reply
            return [.submit(.get(id, query, source))]
        case .listen(let query, let options):
            owed[number] = .listener(AccessScope(query))
            queries[number] = query
            listenerCount += 1
            return [.submit(.listen(listener(number), query, options))]
        case .write(let write):
            owed[number] = .write(sequence: write.sequence)
            return [.submit(.write(writeRequest(write, id)))]
        case .waitForPendingWrites:
            owed[number] = .reply
            return [.submit(.waitForPendingWrites(id, .all))]
        case .waitForOwnWrites(let last):
            owed[number] = .reply
            return [.submit(.waitForPendingWrites(id, .own(last: last)))]
        case .readDocuments(let keys):
            owed[number] = .reply
            return [.submit(.readForTransaction(id, keys))]
        case .commit(let mutations):
            owed[number] = .reply
            return [.submit(.commitTransaction(id, mutations))]
        case .aggregate(let aggregate):
            owed[number] = .reply
            return [.submit(.aggregate(id, aggregate))]
        case .buildBundle(let order):
            owed[number] = .reply
            return [.submit(.buildBundle(id, order))]
        case .explain(let query):
            owed[number] = .reply
            return [.submit(.explain(id, query))]
        case .manageIndexes(let change): return manageIndexes(change, number)
        case .clearPersistence:
            owed[number] = .reply
            return [.submitAlone(.clearPersistence(id), number)]
        case .voteNetwork(let isEnabled):
            owed[number] = .reply
            // Who may not administer keeps only itself from the backend.
            let administers = grant?.holdsEverywhere(.administer) ?? false
            return [
                .submit(
                    administers
                        ? .vote(id, isEnabled: isEnabled) : .withhold(id, isWithheld: !isEnabled))
            ]
        case .listenToSync:
            owed[number] = .syncListener
            listenerCount += 1
            return [.submit(.listenToSync(listener(number)))]
        case .getNamedQuery(let name):
            owed[number] = .reply
            return [.submit(.getNamedQuery(id, name))]
        case .getStatus: return ask(.status, number)
        case .inspect(let subject):
            let seesAll = grant?.holdsEverywhere(.administer) ?? false
            let uid = configuration.peer.uid
            return ask(.inspect(subject, ofUser: seesAll ? nil : uid), number)
        case .reload: return ask(.reload, number)
        case .listQueue(let page): return ask(.queue(page), number)
        case .listDeadLetters(let page): return ask(.deadLetters(page), number)
        case .listCollections(let page): return ask(.collections(page), number)
        case .steerQueue(let steering):
            owed[number] = .reply
            return [
                .submit(
                    .steerQueue(id, QueueOrder<[Mutation]>(steering), by: configuration.peer.uid))
            ]
        case .authenticate(let order): return ask(.signIn(order), number)
        case .setNetwork(let isEnabled):
            return [.submit(.setNetwork(isEnabled: isEnabled)), .reply(.done, number)]
        case .hello, .unlisten, .unlistenToSync, .loadBundle:
            preconditionFailure("\(request) is taken before")
        }
    }

    /// Why a request may not enter, or `nil`.
    func refusal(of request: Request) -> HearthError? {
        switch request {
        case .listen, .listenToSync:
            let count = othersListenerCount + listenerCount
            let uidCountMax = configuration.uidListenerCountMax
            if count >= uidCountMax {
                return HearthError(
                    code: .resourceExhausted,
                    message:
                        "uid \(configuration.peer.uid) has \(count) listeners, and the limit is "
                        + "limits.uidListenerCountMax = \(uidCountMax) listeners.")
            }
            let countMax = configuration.limits.listenerCountMax
            guard listenerCount >= countMax else { return nil }
            return HearthError(
                code: .resourceExhausted,
                message: "The session has \(listenerCount) listeners, its limit. End some, or "
                    + "raise limits.listenerCountMax.")
        case .write(let write):
            return write.mutations.isEmpty
                ? HearthError(code: .invalidArgument, message: "A write needs something to write.")
                : quotaRefusal ?? refusalToSend(write.mutations)
        case .commit(let mutations): return quotaRefusal ?? refusalToSend(mutations)
        case .steerQueue(let steering):
            return quotaRefusal ?? steering.mutations.flatMap(refusalToSend)
        case .get, .waitForPendingWrites, .waitForOwnWrites, .getNamedQuery, .readDocuments,
            .aggregate, .buildBundle, .explain, .manageIndexes, .voteNetwork,
            .getStatus, .inspect, .listQueue, .listDeadLetters, .listCollections,
            .authenticate, .reload, .loadBundle:
            return quotaRefusal
        case .hello, .ping, .unlisten, .unlistenToSync, .setNetwork, .clearPersistence: return nil
        }
    }

    /// Why writes can never be sent upstream, whatever the backend holds.
    private func refusalToSend(_ mutations: [Mutation]) -> HearthError? {
        database.flatMap { FirestoreCodec(database: $0).refusalToSend(mutations) }
    }

    private var quotaRefusal: HearthError? {
        let count = openRequestCount
        let uidCount = othersRequestCount + count
        let uidCountMax = configuration.uidRequestCountMax
        if uidCount >= uidCountMax {
            return HearthError(
                code: .resourceExhausted,
                message: "uid \(configuration.peer.uid) has \(uidCount) requests without an "
                    + "answer, and the limit is limits.uidRequestCountMax = \(uidCountMax) "
                    + "requests. Wait for some.")
        }
        guard count >= configuration.limits.requestCountMax else { return nil }
        return HearthError(
            code: .resourceExhausted,
            message: "The session has \(count) requests without an answer, its limit. Wait for "
                + "some, or raise limits.requestCountMax.")
    }

    private mutating func ask(_ question: Question, _ number: UInt64) -> [Action] {
        owed[number] = .reply
        return [.ask(question, number)]
    }

    private mutating func unlistened(_ number: UInt64) -> [Action] {
        guard case .listener? = owed[number] else { return [] }  // It failed on the way.
        owed[number] = nil
        queries[number] = nil
        listenerCount -= 1
        return [.submit(.unlisten(listener(number))), .forgetSnapshots(number)]
    }

    private mutating func unlistenedToSync(_ number: UInt64) -> [Action] {
        guard case .syncListener? = owed[number] else { return [] }
        owed[number] = nil
        listenerCount -= 1
        return [.submit(.unlistenToSync(listener(number)))]
    }

    private mutating func manageIndexes(_ change: IndexChange, _ number: UInt64) -> [Action] {
        do throws(HearthError) {
            let request = try IndexRequest(change)
            owed[number] = .reply
            let id = RequestID(session: configuration.session, number: number)
            return [.submit(.manageIndexes(id, request))]
        } catch {
            return [.reply(.failed(error), number)]
        }
    }

    // MARK: Names

    func listener(_ number: UInt64) -> ListenerID {
        ListenerID(session: configuration.session, number: number)
    }

    private func writeRequest(_ write: Request.Write, _ id: RequestID) -> WriteRequest {
        let peer = configuration.peer
        var identity: WriteIdentity?
        if write.sequence != 0, let client = greeting?.client, client != .anonymous {
            identity = WriteIdentity(
                uid: peer.uid, client: ClientID(high: client.high, low: client.low),
                sequence: write.sequence)
        }
        return WriteRequest(
            id: id, identity: identity, answeredBelow: write.answeredBelow,
            writer: Writer(
                uid: peer.uid, gid: peer.gid, pid: peer.pid, unit: peer.unitText, program: program),
            mutations: write.mutations)
    }
}

extension QueueSteering {
    /// The writes that it would put into the queue.
    fileprivate var mutations: [Mutation]? {
        switch self {
        case .edit(_, let mutations), .editDeadLetter(_, let mutations, _): mutations
        case .hold, .release, .cancel, .drop, .retry, .retryDeadLetters, .dropDeadLetters: nil
        }
    }
}

extension QueueOrder<[Mutation]> {
    init(_ steering: QueueSteering) {
        self =
            switch steering {
            case .hold(let ids): .hold(ids)
            case .release(let ids): .release(ids)
            case .cancel(let ids): .cancel(ids)
            case .drop(let ids): .drop(ids)
            case .edit(let id, let mutations): .edit(id, mutations)
            case .retry: .retry
            case .retryDeadLetters(let ids, let evenIfApplied):
                .retryDeadLetters(ids, evenIfApplied: evenIfApplied)
            case .editDeadLetter(let id, let mutations, let evenIfApplied):
                .editDeadLetter(id, mutations, evenIfApplied: evenIfApplied)
            case .dropDeadLetters(let ids): .dropDeadLetters(ids)
            }
    }
}
