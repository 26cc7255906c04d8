import HashTreeCollections
package import HearthModel

/// The changes of a view since its last snapshot, at most one for each document.
package struct DocumentChangeSet: Sendable {
    private var changes: TreeDictionary<DocumentKey, DocumentChange> = [:]

    /// No changes.
    package init() {}

    /// Whether nothing changed.
    package var isEmpty: Bool { changes.isEmpty }

    /// Adds a change, merged with an earlier one of the same document.
    package mutating func track(_ change: DocumentChange) {
        let key = change.document.key
        guard let earlier = changes[key] else {
            changes[key] = change
            return
        }
        switch (earlier.kind, change.kind) {
        case (.metadata, .modified), (.metadata, .removed):
            changes[key] = change
        case (.metadata, .metadata), (.added, .metadata), (.modified, .metadata):
            changes[key] = DocumentChange(earlier.kind, change.document)
        case (.modified, .modified):
            changes[key] = change
        case (.added, .modified):
            changes[key] = DocumentChange(.added, change.document)
        case (.added, .removed):
            changes[key] = nil
        case (.modified, .removed):
            changes[key] = DocumentChange(.removed, earlier.document)
        case (.removed, .added):
            changes[key] = DocumentChange(.modified, change.document)
        case (.added, .added), (.modified, .added), (.metadata, .added), (.removed, .removed),
            (.removed, .modified), (.removed, .metadata):
            preconditionFailure("\(change.kind) after \(earlier.kind) of \(key)")
        }
    }

    /// The changes as listeners get them: removed, added, then modified; each in query order.
    package func sorted(by order: DocumentOrder) -> [DocumentChange] {
        changes.values.sorted {
            let (left, right) = ($0.rank, $1.rank)
            return left != right ? left < right : order.compare($0.document, $1.document) < 0
        }
    }
}

extension DocumentChange {
    fileprivate var rank: Int {
        switch kind {
        case .removed: 0
        case .added: 1
        case .modified, .metadata: 2
        }
    }
}
