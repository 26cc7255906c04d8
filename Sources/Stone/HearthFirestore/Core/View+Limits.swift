import HashTreeCollections
package import HearthModel

extension View {
    /// The document at the far end of a full limit; behind it lies what the view does not show.
    func limitEdge(of documents: DocumentSet) -> Document? {
        guard let limit = query.limit, documents.count == limit.count else { return nil }
        return limit.far(documents)
    }

    /// Whether nothing is uncertain but what is in limbo.
    package var isCertainButForLimbo: Bool { isCurrent && isFilled && !limboKeys.isEmpty }

    /// Whether no lost document's successor is missing: none is to be found, or the backend has named
    /// as many documents as the limit allows.
    var isFilled: Bool {
        !lacksSuccessor || (documents.count == query.limit?.count && unnamedKeys.isEmpty)
    }

    /// How many of the backend's results the limit has lost, at most; zero if the first `count`
    /// results are known all the same.
    ///
    /// The backend's word reaches as far as a result that stands where the backend has it. If the
    /// backend has named fewer documents than the limit, all are known.
    ///
    /// - Complexity: O(log results), and more for results with writes that wait.
    func lostCount(ofFirst count: Int) -> Int {
        guard let limit = query.limit, syncedKeyCount >= limit.count else { return 0 }
        for rank in stride(from: documents.count, through: count, by: -1) {
            let place = limit.end == .first ? rank - 1 : documents.count - rank
            let document = documents[place]
            if isSynced(document.key), !document.hasPendingWrites { return 0 }
        }
        return max(syncedKeyCount - (documents.count - unnamedKeys.count), 1)
    }

    /// Whether a modified document now sorts behind the edge, where unknown ones may come before.
    func isPastEdge(_ document: Document, _ edge: Document) -> Bool {
        let order = documents.order.compare(document, edge)
        return query.limit?.end == .first ? order > 0 : order < 0
    }

    /// The query to the cache after a limit lost a document.
    ///
    /// The query asks for more documents than the limit, so that the next search is not soon.
    package var refillQuery: Query {
        guard let limit = query.limit else { return query }
        var wide = query
        wide.limit = Query.Limit(
            limit.count + ViewReserve.countMax(behind: limit), limit.end)
        return wide
    }

    /// Removes the documents beyond the limit, and looks for the successor of a lost document.
    func trim(_ draft: inout Draft) {
        guard let limit = query.limit else { return }
        while draft.documents.count > limit.count, let far = limit.far(draft.documents) {
            draft.remove(far)
            draft.reserve?.insert(far)
            // A write may have moved the document behind the limit, or keep it there.
            let key = far.key
            draft.departures.note(
                far, hasLeft: documents.contains(key) || departures.keys.contains(key))
        }
        draft.successor = nil
        guard draft.needsRefill, let reserve = draft.reserve else { return }
        if let next = reserve.successor(behind: draft.documents) {
            draft.successor = next
            draft.reserve?.remove(next)
        } else if reserve.isEnough(for: draft.documents) {
            draft.needsRefill = false
        }
    }

    /// Parts what a search with `refillQuery` found in what may be shown and a reserve.
    func divide(
        _ found: some Sequence<Document>
    ) -> (results: ArraySlice<Document>, reserve: ViewReserve?) {
        var matching = documents.order.sorted(found.filter { query.matches($0) })
        guard let limit = query.limit else { return (matching[...], nil) }
        if limit.end == .last { matching.reverse() }
        var reserve = ViewReserve(behind: limit, order: documents.order)
        for document in matching.dropFirst(limit.count) { reserve.insert(document) }
        if matching.count >= limit.count + ViewReserve.countMax(behind: limit) { reserve.endHere() }
        return (matching.prefix(limit.count), reserve)
    }
}
