import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// How the tables name a document: by its collection's row and the bytes of its last segment.
struct DocumentName: Hashable {
    let key: DocumentKey
    let collection: Int64
    let bytes: [UInt8]
}

extension SQLiteTransaction {
    /// A document's name; `nil` if its collection never held anything.
    ///
    /// The last one is remembered, because a write looks at one document in several tables.
    func name(of key: DocumentKey) throws(StoreError) -> DocumentName? {
        if let last = memory.lastName, last.key == key { return last }
        guard let collection = try collectionID(key.collection) else { return nil }
        return remembered(key, collection)
    }

    /// A document's name, for which its collection's row is made if need be.
    func makeName(of key: DocumentKey) throws(StoreError) -> DocumentName {
        if let last = memory.lastName, last.key == key { return last }
        return remembered(key, try makeCollectionID(key.collection))
    }

    private func remembered(_ key: DocumentKey, _ collection: Int64) -> DocumentName {
        let name = DocumentName(key: key, collection: collection, bytes: PathKey.name(of: key))
        memory.lastName = name
        return name
    }
}
