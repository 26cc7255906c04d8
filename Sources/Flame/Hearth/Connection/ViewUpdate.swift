import HearthModel
import HearthWire

/// An update for a listener: the documents now, and their changes since the listener's last update.
///
/// Each document's state tells whether the document has pending writes.
struct ViewUpdate: Equatable, Sendable {
    /// One document that changed.
    struct Change: Equatable, Sendable {
        /// The kind of change.
        enum Kind: Sendable {
            case removed, added, modified
            /// Only `hasPendingWrites` changed.
            case metadata
        }

        /// The kind of change.
        let kind: Kind
        /// The document as it is now; for a removed document, as it was.
        let document: Document
    }

    /// The documents of the listener's last update; `nil` before the first update.
    var previous: DocumentSet?
    /// The results.
    var documents: DocumentSet
    /// Removed documents first, then added documents, then the rest, each group in the order of the
    /// query.
    var changes: [Change]
    /// The daemon's flags of the whole snapshot.
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

    /// The changes among candidates, in the order in which the listener is shown them.
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
