import HashTreeCollections
package import HearthModel

/// What a view need not be asked about.
extension View {
    /// Whether a change of a local document may change the view, or what the view knows beyond its
    /// limit.
    ///
    /// - Complexity: O(1), and O(sort keys) for a view with a full limit.
    package func isConcerned(by document: Document) -> Bool {
        if query.limit == nil && document.isFound { return true }
        let key = document.key
        if documents.contains(key) || departures.keys.contains(key) { return true }
        if let knownReserve { return knownReserve.isConcerned(by: document) }
        guard document.isFound else { return false }
        return limitEdge(of: documents).map { !isPastEdge(document, $0) } ?? true
    }

    /// Whether what the backend said of the target may change the view: more than where to resume.
    package func isConcerned(by change: TargetChange) -> Bool {
        change.isCurrent != isCurrent || isFromCache != !(isCurrent && limboKeys.isEmpty)
            || !(change.added.isEmpty && change.modified.isEmpty && change.removed.isEmpty)
    }
}
