import HearthEngine
import HearthFirestore
import HearthModel
package import HearthWire

extension SessionMachine {
    /// The engine has something for the session.
    ///
    /// What nobody waits for any more is a race: the client unlistened, or the session is over.
    package mutating func delivered(_ delivery: Delivery) -> [Action] {
        switch delivery {
        case .snapshot(let number, let snapshot):
            return listens(number) ? [.snapshot(snapshot, number)] : []
        case .inSync(let number):
            guard case .syncListener? = owed[number] else { return [] }
            return [.reply(.inSync, number)]
        case .fail(let number, let error): return listenerFailed(number, error)
        case .answer(let number, let snapshot):
            guard owed.removeValue(forKey: number) != nil else { return [] }
            return [.answer(snapshot, number)]
        case .accept(let number, let batch): return accepted(number, batch)
        case .settle(let number, let batch, let outcome): return settled(number, batch, outcome)
        case .complete(let number): return answered(number, .done)
        case .refuse(let number, let error): return answered(number, .failed(error))
        case .loaded(let number, let progress):
            return answered(number, .bundleProgress(Event.BundleProgress(progress)))
        case .found(let number, let query):
            return answered(
                number,
                .namedQuery(query.map { Event.NamedQuery(query: $0.query, readAt: $0.readAt) }))
        case .explained(let number, let description):
            return answered(number, .explanation(QueryExplanation(description)))
        case .indexes(let number, let report):
            return answered(number, .indexes(IndexList(report)))
        case .result(let number, .writeForgotten): return forgotten(number)
        case .result(let number, let result): return answered(number, Event(result))
        }
    }

    /// Whether a listener of this number wants to be told.
    package func listens(_ number: UInt64) -> Bool {
        if case .listener? = owed[number] { true } else { false }
    }

    /// What was asked for outside the engine has been found out.
    package mutating func reported(_ event: Event, number: UInt64) -> [Action] {
        answered(number, event)
    }

    private mutating func answered(_ number: UInt64, _ event: Event) -> [Action] {
        guard owed.removeValue(forKey: number) != nil else { return [] }
        return [.reply(event, number)]
    }

    private mutating func listenerFailed(_ number: UInt64, _ error: HearthError) -> [Action] {
        switch owed[number] {
        case .listener?:
            owed[number] = nil
            queries[number] = nil
            listenerCount -= 1
            return [.forgetSnapshots(number), .reply(.listenFailed(error), number)]
        case .syncListener?:
            owed[number] = nil
            listenerCount -= 1
            return [.reply(.failed(error), number)]
        case .reply?, .write?, .bundle?, .loading?, nil: return []
        }
    }

    private mutating func accepted(_ number: UInt64, _ batch: BatchID) -> [Action] {
        guard case .write(let sequence)? = owed[number] else { return [] }
        owed[number] = nil
        unsettled[number] = sequence
        return [.reply(.writeAccepted(.init(sequence: sequence, batch: batch)), number)]
    }

    private mutating func forgotten(_ number: UInt64) -> [Action] {
        guard case .write(let sequence)? = owed[number] else { return [] }
        owed[number] = nil
        let error = HearthError(
            code: .unknown,
            message: "The write was sent again so late that the daemon has forgotten what became "
                + "of it.")
        let event = Event.WriteRejected(
            sequence: sequence, batch: .none, error: error, mayHaveBeenApplied: true,
            isOutcomeUnknown: true)
        return [.reply(.writeRejected(event), number)]
    }

    private mutating func settled(_ number: UInt64, _ batch: BatchID, _ outcome: WriteOutcome)
        -> [Action]
    {
        guard let sequence = unsettled[number] else { return [] }
        switch outcome {
        case .pending: return []
        case .committed(let version, let updateTimes):
            unsettled[number] = nil
            let event = Event.WriteCommitted(
                sequence: sequence, batch: batch, committedAt: version, updateTimes: updateTimes)
            return [.reply(.writeCommitted(event), number)]
        case .rejected(let error, let mayHaveBeenApplied):
            unsettled[number] = nil
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
            case .bundle(let bytes):
                .bundle(Request.BundlePart(data: bytes, hasMore: false))
            case .steered(let batches):
                .queueSteered(
                    batches.map { HearthWire.SteeredBatch(id: $0.id, newID: $0.newID) })
            case .writeForgotten:
                preconditionFailure("A forgotten write is told by its writer's way")
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
