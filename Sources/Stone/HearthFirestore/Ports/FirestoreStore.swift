package import HearthEngine

/// A store of one Firestore database, as the host of an engine drives it.
package protocol FirestoreStore: EngineStore
where Transaction == any FirestoreTransaction, Changes == DocumentChanges {
    /// The documents whose local state the present group, or else the last one, may have changed.
    ///
    /// Local state is remote document and overlays; whose overlays count, the store does not know.
    var changes: DocumentChanges { get }
}

extension FirestoreStore {
    /// A store that does not tell documents apart.
    package var changes: DocumentChanges { .all }
}
