import HashTreeCollections
import HearthEngine
import HearthModel

/// Answers one-time reads of queries.
///
///     read --told--> answered
///       \--told, but writes that wait have opened the limit--> asks for more --told--> cut, answered
///                                                                 ^--opened again--'
///
/// A read that asks for more listens to a query of its own with a larger limit. If the backend
/// refuses the larger limit, or goes away where the cache may not answer, the read is answered with
/// the first results.
extension FirestoreEngine {
    /// Answers a read from the read's first snapshot, or has the read ask for more.
    ///
    /// - Source: firestore `firestore_client`, reads by a listener.
    mutating func answer(
        _ id: RequestID, _ source: ReadSource, _ snapshot: ViewSnapshot, _ effects: inout Effects
    ) {
        let query = snapshot.query
        let narrow = listeners.narrowAnswer(of: .read(id, source))
        let asked = narrow?.query ?? query
        let lost = asked.limit.flatMap { views[query]?.view.lostCount(ofFirst: $0.count) } ?? 0
        let isTold = !snapshot.isFromCache || snapshot.isLookedUp
        var answer = snapshot.cut(to: asked)
        if lost > 0, isTold, let view = views[query]?.view {
            openedReads.append(OpenedRead(id: id, source: source, answer: answer, view: view))
            return
        }
        answer.lostCount = lost
        if !isTold, let refusal = self.refusal(of: id, source, answer) {
            effects.actions.append(narrow.map { .answer(id, $0) } ?? .refuse(id, refusal))
        } else {
            effects.actions.append(.answer(id, answer))
        }
    }

    /// Why a read gets no answer from the cache; `nil` if the read gets one.
    private func refusal(
        of id: RequestID, _ source: ReadSource, _ answer: ViewSnapshot
    ) -> HearthError? {
        if let refusal = budgetRefusal(of: id, source, answer) { return refusal }
        if source == .server {
            if canUseNetwork, let refusal = lag.refusal { return refusal }
            return .notCached("The server cannot be reached; the cache may hold an answer.")
        }
        if let key = answer.query.documentKey, answer.documents.isEmpty {
            if canUseNetwork, let refusal = lag.refusal {
                return .notCached("\"\(key)\" is not in the cache. \(refusal.message)")
            }
            return .notCached("The server cannot be reached, and \"\(key)\" is not in the cache.")
        }
        return nil
    }

    /// Has the reads of this turn ask for more documents, if waiting writes have taken documents
    /// out of the reads' full limits.
    mutating func tendOpenedReads(_ turn: inout Turn) throws(StoreError) {
        while let read = openedReads.popLast() {
            let writtenCount = try local.writtenCount(ofNamedFor: read.view, turn.store)
            if let wide = read.wider(by: writtenCount) {
                try askForMore(wide, &turn)
            } else {
                turn.effects.actions.append(.answer(read.id, read.answer))
            }
        }
    }

    /// A read asks for more than its program did.
    mutating func askForMore(_ read: WideRead, _ turn: inout Turn) throws(StoreError) {
        guard let sight = try firstSight(of: read.query, for: .wideRead(read), &turn) else {
            return
        }
        let listener = Listener.read(read.id, read.source, narrowAnswer: read.narrowAnswer)
        try add(listener, to: read.query, sight, &turn)
    }

    /// Answers the reads of queries in whose views all documents in limbo have been looked up.
    ///
    /// A document that the backend has, and did not name among a limit's results, stays in limbo. A
    /// listener is told so; a read would wait for good.
    mutating func answerLookedUp(_ ids: [ViewID], _ effects: inout Effects) {
        for id in ids {
            guard let view = views[id]?.view, view.isCertainButForLimbo,
                view.limboKeys.allSatisfy({ limbo.isFound($0) })
            else { continue }
            tell(listeners.deliverLookedUp(view.query), &effects)
        }
    }
}

extension LocalStore {
    /// How many of the documents that the backend named for a view have writes that the backend has
    /// not told of.
    fileprivate func writtenCount(
        ofNamedFor view: View, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Int {
        let shown = view.documents.documents.count { $0.hasPendingWrites && view.isSynced($0.key) }
        let hidden = try localDocuments(view.hiddenKeys, store)
        return shown + hidden.count(where: \.hasPendingWrites)
    }
}

extension ViewSnapshot {
    /// The results that a query with a smaller limit has; the snapshot itself for its own query.
    ///
    /// The looked-up documents lie behind the remaining results, so no remaining result is in
    /// doubt.
    fileprivate func cut(to query: Query) -> ViewSnapshot {
        if query == self.query { return self }
        var cut = ViewSnapshot(of: query, cached: documents.documents)
        let left = cut.documents
        cut.mutatedKeys = mutatedKeys.filter { left.contains($0) }
        cut.isFromCache = isFromCache && !isLookedUp
        cut.hasCachedResults = hasCachedResults
        cut.readAt = readAt
        return cut
    }
}
