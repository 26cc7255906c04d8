import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// A session reads once from the cache alone.
    ///
    /// The answer is of one moment between the question and the answer. If the look takes long, or there
    /// is much to sort, a survey makes the whole answer, and the turn hands the answer on.
    mutating func getFromCache(
        _ id: RequestID, _ query: Query, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        if let key = query.documentKey {
            let document = try local.localDocument(key, store)
            guard document.isFound || document.isMissing else {
                turn.effects.actions.append(
                    .refuse(id, .notCached("\"\(key)\" is not in the cache; ask the server.")))
                return
            }
        }
        let question = SurveyQuestion(query, .picture(of: local.user))
        let sight = try sight(
            of: query, asking: question, for: .get(id, query, .cache), &turn)
        let picture: SurveyPicture
        switch sight {
        case .found(let result), .surveyed(let result):
            picture = try local.picture(of: query, from: result, store)
        case .picture(let made): picture = made
        case .numbers: preconditionFailure("Numbers for a question about a picture")
        case nil: return
        }
        try makeWanted(picture.wantedIndexes, &turn)
        turn.effects.actions.append(.answer(id, picture.snapshot))
    }
}
