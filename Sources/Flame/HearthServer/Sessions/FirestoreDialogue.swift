import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthWire

/// Turns Firestore's requests into inputs of the engine, and the engine's news into answers.
///
/// `SessionMachine` has checked rights, numbers and quotas before, and lends the dialogue the table
/// of owed answers. The sessions of another kind of engine have another kind of dialogue.
struct FirestoreDialogue: Sendable {
    typealias Action = SessionMachine.Action

    /// Who speaks.
    let identity: SessionIdentity
    /// Whose documents are asked for.
    let database: DatabaseID
    /// Whether the access rules let the peer administer everything.
    var administers = false
    /// What the client may make the daemon hold.
    var memory: ClientMemory
    /// What the listeners listen to, for operators.
    var queries: [UInt64: Query] = [:]
    /// The begun bundles by number, with `bundlePartCount` at each bundle's latest part.
    var begunBundles: [UInt64: UInt64] = [:]
    var bundlePartCount: UInt64 = 0
    /// The writes and the commits of transactions that have entered.
    private(set) var writeCount = 0

    /// A dialogue in which nothing has been asked.
    init(_ configuration: SessionMachine.Configuration, _ greeting: Hello, in database: DatabaseID)
    {
        identity = SessionIdentity(configuration, greeting)
        memory = configuration.limits.memory
        self.database = database
    }

    /// A program's request that may enter.
    mutating func admitted(
        _ request: FirestoreRequest, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        switch request {
        case .listen(let query, let options):
            owed[number] = .listener(AccessScope(query))
            queries[number] = query
            return [.submit(.firestore(.listen(identity.listener(number), query, options)))]
        case .listenToSync:
            owed[number] = .syncListener
            return [.submit(.firestore(.listenToSync(identity.listener(number))))]
        case .unlistenToSync:
            guard case .syncListener? = owed[number] else { return [] }
            owed[number] = nil
            return [.submit(.firestore(.unlistenToSync(identity.listener(number))))]
        case .write(let write):
            guard !write.mutations.isEmpty else {
                return [.reply(.failed(.nothingToWrite), number)]
            }
            owed[number] = .write(sequence: write.sequence)
            writeCount += 1
            return [.submit(.firestore(.write(writeRequest(write, identity.request(number)))))]
        case .loadBundle(let part): return received(part, number, &owed)
        case .manageIndexes(let change):
            do throws(HearthError) {
                let request = try IndexRequest(change)
                return ask(.manageIndexes(identity.request(number), request), number, &owed)
            } catch {
                return [.reply(.failed(error), number)]
            }
        case .cancelWrite(let sequence, let batch):
            guard let write = identity.identity(ofWrite: sequence) else {
                return [.reply(.failed(.nobodysWrite), number)]
            }
            return ask(.cancelWrite(identity.request(number), batch, write), number, &owed)
        case .pin(let order):
            owed[number] = .reply
            return [.ask(.pin(order), number)]
        case .get, .waitForPendingWrites, .waitForOwnWrites, .getNamedQuery, .readDocuments,
            .noteReads, .commit, .aggregate, .buildBundle, .explain, .voteNetwork:
            if case .commit = request { writeCount += 1 }
            return ask(plainInput(request, identity.request(number)), number, &owed)
        }
    }

    /// The input of a request that is owed one answer.
    private func plainInput(_ request: FirestoreRequest, _ id: RequestID) -> FirestoreEngine.Input {
        switch request {
        case .get(let query, let source): return .get(id, query, source)
        case .waitForPendingWrites: return .waitForPendingWrites(id, .all)
        case .waitForOwnWrites(let last): return .waitForPendingWrites(id, .own(last: last))
        case .getNamedQuery(let name): return .getNamedQuery(id, name)
        case .readDocuments(let keys): return .readForTransaction(id, keys)
        case .noteReads(let keys): return .noteReads(id, keys)
        case .commit(let mutations): return .commitTransaction(id, mutations)
        case .aggregate(let request): return .aggregate(id, request)
        case .buildBundle(let order): return .buildBundle(id, order)
        case .explain(let query): return .explain(id, query)
        case .voteNetwork(let isEnabled):
            // Who may not administer keeps only itself from the backend.
            return administers
                ? .vote(id, isEnabled: isEnabled) : .withhold(id, isWithheld: !isEnabled)
        case .listen, .listenToSync, .unlistenToSync, .write, .loadBundle, .manageIndexes, .pin,
            .cancelWrite:
            preconditionFailure("\(request) is owed more than an answer")
        }
    }

    // MARK: What every engine does

    /// An administrator steers the queue.
    func steered(
        _ order: QueueOrder<[Mutation]>, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        ask(.steerQueue(identity.request(number), order, by: identity.peer.uid), number, &owed)
    }

    /// An operator asks for the ledger.
    ///
    /// - Parameter uid: Only this user's programs; `nil` for all.
    func asked(
        _ question: LedgerQuestion, ofUser uid: UInt32?, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        ask(.readLedger(identity.request(number), question, ofUser: uid), number, &owed)
    }

    /// An administrator forgets cache and queue, which only one who is alone may.
    func cleared(_ number: UInt64, _ owed: inout OwedAnswers) -> [Action] {
        owed[number] = .reply
        return [.submitAlone(.firestore(.clearPersistence(identity.request(number))), number)]
    }

    /// An administrator goes online or offline.
    func switched(isOnline: Bool, _ number: UInt64) -> [Action] {
        [.submit(.firestore(.setNetwork(isEnabled: isOnline))), .reply(.done, number)]
    }

    /// The client ends a subscription.
    mutating func unlistened(_ number: UInt64, _ owed: inout OwedAnswers) -> [Action] {
        guard case .listener? = owed[number] else { return [] }  // It failed on the way.
        owed[number] = nil
        queries[number] = nil
        return [.submit(.firestore(.unlisten(identity.listener(number)))), .forgetNews(number)]
    }

    /// What the listeners listen to, in the order of their numbers.
    var listenedTo: [ListenerText] {
        queries.sorted { $0.key < $1.key }.map { ListenerText($0.value.words) }
    }

    /// The session is over, and nothing is kept for it.
    mutating func release() {
        begunBundles = [:]
        queries = [:]
    }

    private func ask(
        _ input: FirestoreEngine.Input, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        owed[number] = .reply
        return [.submit(.firestore(input))]
    }

    private func writeRequest(_ write: FirestoreRequest.Write, _ id: RequestID) -> WriteRequest {
        WriteRequest(
            id: id, identity: identity.identity(ofWrite: write.sequence),
            answeredBelow: write.answeredBelow, writer: identity.writer,
            mutations: write.mutations,
            conditions: write.isJudgedAtOnce ? .judged : .asSDK, tellsPromise: false,
            terms: write.terms, wasSentElsewhere: identity.isElsewhere(write.sentTo))
    }
}

extension HearthError {
    fileprivate static let nobodysWrite = HearthError(
        code: .invalidArgument,
        message: "Only a client with an id of its own, and a write with a number, can take a write "
            + "back.")

    fileprivate static let nothingToWrite = HearthError(
        code: .invalidArgument, message: "A write needs something to write.")
}
