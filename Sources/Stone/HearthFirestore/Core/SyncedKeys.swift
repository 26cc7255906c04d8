import HashTreeCollections
import HearthModel

/// The documents that the backend named for a target, as the difference from a view's results.
///
///     synced = shown - unnamed + hidden
///
/// Nearly always the two sets are the same, so a view holds its documents' names once. Where the
/// answer depends on the view, the caller passes `isShown`.
struct SyncedKeys: Sendable {
    /// Documents that the view shows and the backend did not name.
    private(set) var unnamed: TreeSet<DocumentKey> = []
    /// Documents that the backend named and the view does not show.
    ///
    /// The documents are deleted here, or beyond a limit by a local write. Only this set holds the
    /// names, so the names are packed.
    private(set) var hidden: PackedKeySet

    /// What the backend has named for a view that shows nothing yet.
    init(_ keys: some Sequence<DocumentKey>) {
        hidden = PackedKeySet(keys)
    }

    /// Whether the backend named a document.
    func contains(_ key: DocumentKey, isShown: Bool) -> Bool {
        isShown ? !unnamed.contains(key) : hidden.contains(key)
    }

    /// The view came to show documents, or ceased to.
    ///
    /// - Parameter named: Documents that the backend names at this moment.
    mutating func viewChanged(_ changes: [DocumentChange], naming named: Set<DocumentKey> = []) {
        for change in changes {
            let key = change.document.key
            switch change.kind {
            case .added:
                if !hidden.remove(key), !named.contains(key) { unnamed.insert(key) }
            case .removed: if unnamed.remove(key) == nil { hidden.insert(key) }
            case .modified, .metadata: break
            }
        }
    }

    /// The backend named a document.
    mutating func insert(_ key: DocumentKey, isShown: Bool) {
        if isShown { unnamed.remove(key) } else { hidden.insert(key) }
    }

    /// The backend names a document no more.
    mutating func remove(_ key: DocumentKey, isShown: Bool) {
        if isShown { unnamed.insert(key) } else { hidden.remove(key) }
    }
}
