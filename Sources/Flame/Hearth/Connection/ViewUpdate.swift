import HearthModel
import HearthWire

/// What a listener is told: its documents now, and how they differ from what it was told before.
///
/// Pending writes are in the documents' state, so that a document knows its own metadata.
struct ViewUpdate: Equatable, Sendable {
    /// One document that changed.
    struct Change: Equatable, Sendable {
        /// How.
        enum Kind: Sendable {
            case removed, added, modified
            /// Only `hasPendingWrites` changed.
            case metadata
        }

        /// How.
        let kind: Kind
        /// The document as it is now; for a removed one, as it was.
        let document: Document
    }

    /// What the listener was told before; `nil` if nothing.
    var previous: DocumentSet?
    /// The results.
    var documents: DocumentSet
    /// Removed first, then added, then the rest, each in the order of the query.
    var changes: [Change]
    /// What the daemon said of the whole.
    var flags: Event.SnapshotFlags

    /// Compares two states. O(n).
    init(from previous: DocumentSet?, to documents: DocumentSet, flags: Event.SnapshotFlags) {
        let old = previous ?? DocumentSet(order: documents.order)
        let removed = old.documents.filter { !documents.contains($0.key) }
        let changes = ViewUpdate.changes(
            from: old, to: documents, removed: removed, candidates: documents.documents)
        self.init(previous: previous, documents: documents, changes: changes, flags: flags)
    }

    /// Takes the parts.
    init(
        previous: DocumentSet?, documents: DocumentSet, changes: [Change],
        flags: Event.SnapshotFlags
    ) {
        self.previous = previous
        self.documents = documents
        self.changes = changes
        self.flags = flags
    }

    /// The update for a listener that has not seen this one when `next` comes.
    func followed(by next: ViewUpdate) -> ViewUpdate {
        var flags = next.flags
        flags.rejectedWrites = self.flags.rejectedWrites.followed(by: flags.rejectedWrites)
        return ViewUpdate(from: previous, to: next.documents, flags: flags)
    }

    /// The changes among candidates, in the order in which they are shown.
    ///
    /// - Parameters:
    ///   - removed: Documents of `old` that are gone, in its order.
    ///   - candidates: Documents of `new` that may differ, in its order.
    static func changes(
        from old: DocumentSet, to new: DocumentSet, removed: [Document], candidates: [Document]
    ) -> [Change] {
        var added: [Change] = []
        var modified: [Change] = []
        for document in candidates {
            guard let before = old[document.key] else {
                added.append(Change(kind: .added, document: document))
                continue
            }
            if before.content != document.content {
                modified.append(Change(kind: .modified, document: document))
            } else if before.hasPendingWrites != document.hasPendingWrites {
                modified.append(Change(kind: .metadata, document: document))
            }
        }
        return removed.map { Change(kind: .removed, document: $0) } + added + modified
    }
}
