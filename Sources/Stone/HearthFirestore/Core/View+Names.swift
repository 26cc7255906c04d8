package import HashTreeCollections
package import HearthModel

/// What the backend named for the target of a view.
extension View {
    /// Whether the backend named a document for the target.
    package func isSynced(_ key: DocumentKey) -> Bool {
        synced.contains(key, isShown: documents.contains(key))
    }

    /// How many documents the backend named for the target.
    package var syncedKeyCount: Int {
        documents.count - synced.unnamed.count + synced.hidden.count
    }

    /// All of them, in no order. O(results).
    package var syncedKeys: [DocumentKey] {
        documents.keys.filter { !synced.unnamed.contains($0) } + synced.hidden.keys
    }

    /// The documents that the backend named and the view does not show, in no order. O(names).
    var hiddenKeys: [DocumentKey] { synced.hidden.keys }

    /// The results that the backend did not name, for whatever reason.
    package var unnamedKeys: TreeSet<DocumentKey> { synced.unnamed }

    /// How many names the view holds besides the names of its results.
    var nameCount: Int { synced.unnamed.count + synced.hidden.count }
}
