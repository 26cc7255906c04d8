import HearthEngine
import HearthFirestore
import HearthModel
import HearthWire

/// Turns the engine's news into answers to the client.
extension FirestoreDialogue {
    /// The engine has something for the session.
    ///
    /// A delivery that nobody waits for lost a race: the client unlistened, or the session is over.
    mutating func delivered(_ delivery: FirestoreDelivery, _ owed: inout OwedAnswers) -> [Action] {
        switch delivery {
        case .snapshot(let number, let snapshot):
            return owed.listens(number) ? [.snapshot(snapshot, number)] : []
        case .inSync(let number):
            guard case .syncListener? = owed[number] else { return [] }
            return [.reply(.inSync, number)]
        case .fail(let number, let error): return listenerFailed(number, error, &owed)
        case .answer(let number, let snapshot):
            guard owed.removeValue(forKey: number) != nil else { return [] }
            return [.answer(snapshot, number)]
        case .accept(let number, let batch):
            guard let sequence = owed.accept(number) else { return [] }
            return [.reply(.writeAccepted(.init(sequence: sequence, batch: batch)), number)]
        case .settle(let number, let batch, let outcome):
            return settled(number, batch, outcome, &owed)
        case .complete(let number): return owed.answer(number, .done)
        case .refuse(let number, let error): return owed.answer(number, .failed(error))
        case .loaded(let number, let progress):
            return owed.answer(number, .bundleProgress(Event.BundleProgress(progress)))
        case .found(let number, let query):
            let named = query.map { Event.NamedQuery(query: $0.query, readAt: $0.readAt) }
            return owed.answer(number, .namedQuery(named))
        case .explained(let number, let description):
            return owed.answer(number, .explanation(QueryExplanation(description)))
        case .indexes(let number, let report):
            return owed.answer(number, .indexes(IndexList(report)))
        case .result(let number, .writeForgotten): return forgotten(number, &owed)
        case .result(let number, let result): return owed.answer(number, Event(result))
        }
    }

    private mutating func listenerFailed(
        _ number: UInt64, _ error: HearthError, _ owed: inout OwedAnswers
    ) -> [Action] {
        switch owed[number] {
        case .listener?:
            owed[number] = nil
            queries[number] = nil
            return [.forgetNews(number), .reply(.listenFailed(error), number)]
        case .syncListener?:
            owed[number] = nil
            return [.reply(.failed(error), number)]
        case .reply?, .write?, .bundle?, .loading?, .transaction?, .statusListener?, nil: return []
        }
    }

    private func forgotten(_ number: UInt64, _ owed: inout OwedAnswers) -> [Action] {
        guard case .write(let sequence)? = owed[number] else { return [] }
        owed[number] = nil
        let error = HearthError(
            code: .unknown,
            message: "The write was sent before, and the daemon does not know what became of it: "
                + "it was sent again very late, or the daemon's stores were restored from a backup "
                + "since. It may have been applied. Read the documents before you write it anew.")
        let event = Event.WriteRejected(
            sequence: sequence, batch: .none, error: error, mayHaveBeenApplied: true,
            isOutcomeUnknown: true)
        return [.reply(.writeRejected(event), number)]
    }

    private func settled(
        _ number: UInt64, _ batch: BatchID, _ outcome: WriteOutcome, _ owed: inout OwedAnswers
    ) -> [Action] {
        switch outcome {
        case .pending: return []
        case .committed(let version, let updateTimes):
            guard let sequence = owed.settle(number) else { return [] }
            let event = Event.WriteCommitted(
                sequence: sequence, batch: batch, committedAt: version, updateTimes: updateTimes)
            return [.reply(.writeCommitted(event), number)]
        case .rejected(let error, let mayHaveBeenApplied):
            guard let sequence = owed.settle(number) else { return [] }
            let event = Event.WriteRejected(
                sequence: sequence, batch: batch, error: error,
                mayHaveBeenApplied: mayHaveBeenApplied)
            return [.reply(.writeRejected(event), number)]
        }
    }
}

extension Event {
    init(_ result: RequestResult) {
        self =
            switch result {
            case .documents(let documents): .documents(documents)
            case .committed(let version, let updateTimes):
                .committed(Committed(committedAt: version, updateTimes: updateTimes))
            case .commitFailed(let error, let mayHaveBeenApplied):
                .commitFailed(error, mayHaveBeenApplied: mayHaveBeenApplied)
            case .aggregated(let result): .numbers(result)
            case .bundle(let bytes): .bundle(.init(data: bytes, hasMore: false))
            case .steered(let batches): .queueSteered(batches)
            case .ledger(let report): .report(.ledger(report))
            case .pins(let reports): .pins(reports)
            case .read:
                preconditionFailure("No request of HearthWire reads documents past a view")
            case .writeForgotten, .promised, .transformed, .translated:
                preconditionFailure("What becomes of a write is told by its writer's way")
            }
    }
}

extension Event.BundleProgress {
    init(_ progress: BundleProgress, isFinished: Bool = true) {
        self.init(
            documentsLoaded: progress.documentsLoaded, totalDocuments: progress.totalDocuments,
            bytesLoaded: progress.bytesLoaded, totalBytes: progress.totalBytes,
            isFinished: isFinished)
    }
}
