package import HearthModel

/// The changes of a view since its last snapshot, at most one for each document.
package struct DocumentChangeSet: Sendable {
    private var changes: [DocumentChange] = []
    /// Where the change of each document is; `nil` until somebody asks for one.
    private var places: [DocumentKey: Int]?
    /// The places of changes that others have undone.
    private var undone: Set<Int> = []

    /// No changes.
    package init() {}

    /// Whether nothing changed.
    package var isEmpty: Bool { changes.count == undone.count }

    /// Adds the change of a document that had none before. O(1).
    package mutating func add(_ change: DocumentChange) {
        places?[change.document.key] = changes.count
        changes.append(change)
    }

    /// Adds a change, merged with an earlier one of the same document.
    package mutating func track(_ change: DocumentChange) {
        let key = change.document.key
        guard let place = place(of: key) else { return add(change) }
        let earlier = changes[place]
        switch (earlier.kind, change.kind) {
        case (.metadata, .modified), (.metadata, .removed):
            changes[place] = change
        case (.metadata, .metadata), (.added, .metadata), (.modified, .metadata):
            changes[place] = DocumentChange(earlier.kind, change.document)
        case (.modified, .modified):
            changes[place] = change
        case (.added, .modified):
            changes[place] = DocumentChange(.added, change.document)
        case (.added, .removed):
            places?[key] = nil
            undone.insert(place)
        case (.modified, .removed):
            changes[place] = DocumentChange(.removed, earlier.document)
        case (.removed, .added):
            changes[place] = DocumentChange(.modified, change.document)
        case (.added, .added), (.modified, .added), (.metadata, .added), (.removed, .removed),
            (.removed, .modified), (.removed, .metadata):
            preconditionFailure("\(change.kind) after \(earlier.kind) of \(key)")
        }
    }

    /// The changes as listeners get them: removed, added, then modified; each in query order.
    package func sorted(by order: DocumentOrder) -> [DocumentChange] {
        var remaining = changes
        if !undone.isEmpty {
            remaining = changes.indices.filter { !undone.contains($0) }.map { changes[$0] }
        }
        if remaining.count < 2 { return remaining }
        return remaining.sorted {
            let (left, right) = ($0.rank, $1.rank)
            return left != right ? left < right : order.compare($0.document, $1.document) < 0
        }
    }

    private mutating func place(of key: DocumentKey) -> Int? {
        if changes.isEmpty { return nil }
        if places == nil {
            var found: [DocumentKey: Int] = [:]
            for (place, change) in changes.enumerated() { found[change.document.key] = place }
            places = found
        }
        return places?[key]
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
