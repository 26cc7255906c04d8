package import HearthEngine

/// A store of one Firestore database, as the host of an engine drives it.
///
/// Its changes are the documents whose local state a group may have changed. Local state is remote
/// document and overlays; whose overlays count, the store does not know.
package protocol FirestoreStore: EngineStore
where Transaction == any FirestoreTransaction, Changes == DocumentChanges {}

extension FirestoreStore {
    /// A store that does not tell documents apart.
    package var changes: DocumentChanges { .all }
}
