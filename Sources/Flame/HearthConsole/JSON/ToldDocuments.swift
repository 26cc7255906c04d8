package import HearthModel

/// The documents that a page knows of a query: the next event tells the difference alone.
package struct ToldDocuments: Sendable {
    private var told: [Document]?

    /// A page that was told nothing.
    package init() {}

    /// The event that brings a page up to date; `nil` if nothing has changed. The first tells all.
    ///
    /// Shape: as the daemon's stream of documents; the answers are the backend's own.
    ///
    /// - Complexity: O(documents of the page).
    package mutating func event(for documents: [Document]) -> JSONValue? {
        let before = told
        told = documents
        guard let before else {
            return Self.json(documents, order: nil, removed: [], isWhole: true)
        }
        let old = Dictionary(before.map { ($0.key, $0) }) { $1 }
        let present = Set(documents.map(\.key))
        let changed = documents.filter { old[$0.key] != $0 }
        let removed = before.map(\.key).filter { !present.contains($0) }
        let isMoved = before.map(\.key) != documents.map(\.key)
        if changed.isEmpty, removed.isEmpty, !isMoved { return nil }
        return Self.json(
            changed, order: isMoved ? documents.map(\.key) : nil, removed: removed, isWhole: false)
    }

    private static func json(
        _ documents: [Document], order: [DocumentKey]?, removed: [DocumentKey], isWhole: Bool
    ) -> JSONValue {
        .members([
            "documents": .array(
                documents.map { DocumentJSON.json(of: $0.key, $0, isFromCache: false) }),
            "order": order.map { .texts($0.map(\.path.string)) } ?? .null,
            "removed": .texts(removed.map(\.path.string)), "isWhole": .boolean(isWhole),
            "isFromCache": .boolean(false), "hasPendingWrites": .boolean(false),
            "rejectedWrites": .array([]),
        ])
    }
}
