import HearthEngine
import HearthModel

/// Fills the limits of views that have lost documents.
///
///     reserve --empty--> short look --too long--> view is short, survey --> refilled
///
/// A short view shows fewer documents than its limit, says that it is from the cache, and is filled by the
/// turn that takes the survey's answer.
extension FirestoreEngine {
    /// What changed documents do to a view.
    ///
    /// If a limit lost a document, the engine asks the cache for the next document: for the
    /// successor that the view knows, or for all. If to ask for all takes long, the view waits.
    ///
    /// - Parameter settles: See `View.draft`.
    mutating func draft(
        of view: View, _ changed: [Document], settles: Bool = false, _ turn: inout Turn
    ) throws(StoreError) -> View.Draft {
        var draft = view.draft(changed, settles: settles)
        while let key = draft.successor {
            draft = view.draft(try local.localDocument(key, turn.store), continuing: draft)
        }
        guard draft.needsRefill, let all = try refill(of: view, &turn) else { return draft }
        return view.draft(all.documents.values, continuing: draft)
    }

    /// A survey has come back for a view that waits for it.
    mutating func refill(_ query: Query, _ turn: inout Turn) throws(StoreError) {
        guard let id = views.id(of: query), let row = views[id], row.view.lacksSuccessor else {
            return
        }
        let target = row.targetID
        let found = try look(at: row.view.refillQuery, for: .refill(query), &turn)
        guard let found else { return }
        let draft = row.view.draft(
            found.documents.values, continuing: row.view.draft(EmptyCollection<Document>()))
        let reached = versionReached(of: target)
        _ = consume row  // So that the view is changed in its place.
        guard let outcome = change(id, { $0.decide(draft, reached: reached) }) else { return }
        let deliveries = try carryOut(outcome, of: target, &turn)
        tell(deliveries, &turn.effects)
    }

    /// What the cache has for a view's limit; `nil` if the view waits for a survey from now on.
    private mutating func refill(
        of view: View, _ turn: inout Turn
    ) throws(StoreError) -> LocalStore.QueryResult? {
        let query = view.refillQuery
        guard let terms = configuration.surveys else {
            return try execute(query, usesPreviousResults: false, &turn)
        }
        let question = SurveyQuestion(query)
        if !surveys.isOnItsWay(question) {
            let bounds = ScanBounds(
                examinedCountMax: terms.refillCountMax, byteCountMax: terms.scanByteCountMax)
            let short = try local.execute(
                query, usesPreviousResults: false, within: bounds, turn.store)
            if let short {
                try makeWanted(short.wantedIndexes, &turn)
                return short
            }
        }
        try wait(.refill(view.query), for: question, attempt: 1, terms, &turn)
        return nil
    }
}
