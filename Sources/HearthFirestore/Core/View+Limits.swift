import HearthModel

extension View {
    /// The document at the far end of a full limit; behind it lies what the cache knows and the
    /// view does not.
    func limitEdge(of documents: DocumentSet) -> Document? {
        guard let limit = query.limit, documents.count == limit.count else { return nil }
        return limit.end == .first ? documents.last : documents.first
    }

    /// Whether a modified document now sorts behind the edge, where unknown ones may come before.
    func isPastEdge(_ document: Document, _ edge: Document) -> Bool {
        let order = documents.order.compare(document, edge)
        return query.limit?.end == .first ? order > 0 : order < 0
    }

    /// Takes away what exceeds the limit, from its far end.
    func trim(_ draft: inout Draft) {
        guard let limit = query.limit else { return }
        while draft.documents.count > limit.count {
            let far = limit.end == .first ? draft.documents.last : draft.documents.first
            guard let far else { return }
            draft.remove(far)
        }
    }
}
