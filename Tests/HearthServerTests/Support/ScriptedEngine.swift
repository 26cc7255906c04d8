import HearthEngine
import HearthFirestore
import HearthModel

/// An engine that counts its inputs and answers each input with the count before it.
struct ScriptedEngine: Engine {
    /// The inputs that this value has seen succeed.
    private var taken: Int64 = 0
    private let hear: @Sendable (String) -> Void

    /// - Parameter hear: Hears of every input without an answer.
    init(_ hear: @escaping @Sendable (String) -> Void = { _ in }) {
        self.hear = hear
    }

    mutating func take(
        _ input: FirestoreEngine.Input, at now: Timestamp, in store: any FirestoreTransaction
    ) throws(StoreError) -> [FirestoreEngine.Action] {
        try store.enter(.executeQuery)
        taken += 1
        switch input {
        case .write(let request): return [.accept(request.id, BatchID(taken))]
        case .waitForPendingWrites(let id, _): return [.complete(id)]
        case .changeUser(let user):
            hear("changeUser \(user)")
            return [.schedule(.watchIdle, after: .seconds(60))]
        case .setNetwork(isEnabled: false): return [.cancel(.watchIdle)]
        case .timerFired(let id): return [.note(.storeFailed("fired \(id)"))]
        case .upstream(.writeHandshaken(let number, let token)):
            return (1...3).map { _ in .upstream(.write(number, BatchID(taken), [], token)) }
        case .upstream(.writeAnswered): return [.note(.batchCommitted(BatchID(taken)))]
        case .upstream(.writeClosed(let number, let error?)):
            return [
                .note(.connectionFailed(error)), .schedule(.writeBackoff, after: .seconds(4)),
                .upstream(.openWrite(number, as: .unauthenticated)),
            ]
        case .upstream(.writeOpened): return [.note(.connectionRecovered)]
        case .upstream: return [.note(.storeFailed("upstream"))]
        case .explain(_, let query):
            let id = SurveyID(UInt64(taken))
            return [
                .survey(
                    .begin(
                        SurveyOrder(
                            id: id, question: SurveyQuestion(query), user: .unauthenticated)))
            ]
        case .loadBundle(_, let bundle):
            let loading = BundleLoading(
                id: bundle.record.id, documentCount: Int(taken), totalDocumentCount: 9)
            return [.note(.bundlesLoading([loading]))]
        case .surveyed(let id, _): return [.note(.storeFailed("surveyed \(id.rawValue)"))]
        case .checkBudget: return [.note(.documentsRead(LedgerSums(reads: 2, aloneReads: 5)))]
        case .disconnected:
            hear("disconnected")
            return []
        case .start, .listen, .unlisten, .listenToSync, .unlistenToSync, .get, .getNamedQuery,
            .manageIndexes, .setNetwork, .collectGarbage, .shutdown,
            .buildBundle,
            .read, .noteReads, .readForTransaction, .commitTransaction, .learnCommit, .aggregate,
            .clearPersistence, .vote,
            .withhold,
            .steerQueue, .setQueueLimits, .networkReturned, .disclaim, .told, .abandon,
            .translate, .introduce, .setLedgerTerms, .setHistoryTerms, .readLedger, .bill,
            .setPins,
            .tellPins, .waitForPin, .cancelWrite:
            return []
        }
    }

    static func reading(
        in decided: [FirestoreEngine.Action], of input: FirestoreEngine.Input
    ) -> DocumentReading? {
        DocumentReading(decided, of: input)
    }

    mutating func turnFailed(
        _ input: FirestoreEngine.Input, _ error: StoreError, at now: Timestamp
    ) -> [FirestoreEngine.Action] {
        input.refusal(HearthError(code: .unavailable, message: "\(error)"))
    }
}
