import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// Runs a query on the cache and answers with the plan, without the documents. Changes nothing.
    mutating func explain(
        _ id: RequestID, _ query: Query, _ turn: inout Turn
    ) throws(StoreError) {
        do {
            try query.validate()
        } catch {
            turn.effects.actions.append(.refuse(id, error))
            return
        }
        // Documents are counted where they lie, unless a limit leaves few.
        let wanted: SurveyQuestion.Wanted =
            query.limit == nil
            ? .numbers([Aggregation(alias: "", operation: .count(upTo: nil))], of: local.user)
            : .picture(of: local.user)
        let sight = try sight(
            of: query, asking: SurveyQuestion(query, wanted), for: .explain(id, query), &turn)
        guard let sight else { return }
        turn.effects.actions.append(.explained(id, sight.plan))
    }

    /// Lists or changes the local indexes.
    mutating func manageIndexes(
        _ id: RequestID, _ request: IndexRequest, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        if case .configure(let indexes) = request, indexes.count > IndexLimits.indexCountMax {
            let error = HearthError(
                code: .invalidArgument,
                message: "\(indexes.count) indexes are too many: \(IndexLimits.indexCountMax) at "
                    + "most.")
            turn.effects.actions.append(.refuse(id, error))
            return
        }
        let (report, hasWork) = try local.manageIndexes(request, store)
        if hasWork { scheduleBackfill(&turn.effects) }
        turn.effects.actions.append(.indexes(id, report))
    }

    /// Answers a query from the cache. One that cost too much may get an index for the next time.
    mutating func execute(
        _ query: Query, usesPreviousResults: Bool, _ turn: inout Turn
    ) throws(StoreError) -> LocalStore.QueryResult {
        let store = turn.store
        let result = try local.execute(query, usesPreviousResults: usesPreviousResults, store)
        try makeWanted(result.wantedIndexes, &turn)
        return result
    }

    /// Makes the indexes that a query would rather have used, if that is switched on.
    func makeWanted(_ indexes: [FieldIndex], _ turn: inout Turn) throws(StoreError) {
        if try local.makeWantedIndexes(indexes, turn.store) {
            scheduleBackfill(&turn.effects)
        }
    }

    /// Goes on where the last run of the program stopped.
    mutating func resumeBackfill(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        if try !store.backfillIndexes(countMax: 0).isDone { scheduleBackfill(&turn.effects) }
    }

    /// Lists some more documents, and leaves the rest to the next slice.
    mutating func backfillIndexes(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        try store.enter(.manageIndexes)
        let progress = try store.backfillIndexes(countMax: IndexLimits.backfillCountMax)
        if !progress.isDone { scheduleBackfill(&turn.effects) }
    }

    private func scheduleBackfill(_ effects: inout Effects) {
        effects.actions.append(.schedule(.indexBackfill, after: IndexLimits.backfillPause))
    }
}

extension FirestoreEngine.Sight {
    /// How a query was answered.
    fileprivate var plan: QueryPlanDescription {
        switch self {
        case .found(let result), .surveyed(let result): result.description
        case .numbers(let numbers): numbers.plan
        case .picture(let picture): picture.plan
        }
    }
}
