import HashTreeCollections
import HearthFirestore
import HearthModel

/// Pictures of the collection `rooms`, each with some documents that hold a number.
enum Rooms {
    static let query = Query(path: path)

    private static var path: ResourcePath {
        guard let path = try? ResourcePath(parsing: "rooms") else {
            preconditionFailure("rooms is a path")
        }
        return path
    }

    static func document(_ id: String, _ number: Int64) -> Document {
        guard let key = try? DocumentKey(parsing: "rooms/\(id)") else {
            preconditionFailure("\(id) is no document id")
        }
        return .found(
            key, at: SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0)),
            ["n": .integer(number)])
    }

    /// A picture with `documents`, told as a difference from `base`.
    static func snapshot(
        _ id: UInt64, base: UInt64?, _ documents: [Document], changes: [DocumentChange] = []
    ) -> ViewSnapshot {
        ViewSnapshot(
            query: query, id: SnapshotID(id), base: base.map(SnapshotID.init),
            documents: DocumentSet(order: query.order, documents), changes: changes,
            mutatedKeys: [], isFromCache: false, syncStateChanged: false,
            excludesMetadataChanges: false, hasCachedResults: false)
    }
}
