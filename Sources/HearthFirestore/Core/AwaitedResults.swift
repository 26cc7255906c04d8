import HashTreeCollections
import HearthModel

/// The results of a view with acknowledged writes that the backend has not named, by the version
/// from which on its silence tells something.
///
/// Persistent: a copy is cheap.
struct AwaitedResults: Sendable {
    private struct Entry: Sendable {
        let version: SnapshotVersion
        let key: DocumentKey

        static func order(_ left: Self, _ right: Self) -> Int {
            if left.version != right.version { return left.version < right.version ? -1 : 1 }
            return left.key.compare(to: right.key)
        }
    }

    private var entries = OrderedTree<Entry>()
    private var versions: TreeDictionary<DocumentKey, SnapshotVersion> = [:]

    /// The first version for which something waits.
    var first: SnapshotVersion? { entries.first?.version }

    /// Lets a result wait for a version, or for none any more. O(log results).
    mutating func set(_ version: SnapshotVersion?, of key: DocumentKey) {
        let old = versions[key]
        guard old != version else { return }
        if let old { entries.remove(Entry(version: old, key: key), by: Entry.order) }
        if let version { entries.insert(Entry(version: version, key: key), by: Entry.order) }
        versions[key] = version
    }

    /// What waits for a version up to this one. O(what is found).
    func keys(upTo version: SnapshotVersion) -> [DocumentKey] {
        var keys: [DocumentKey] = []
        entries.walk { entry in
            guard entry.version <= version else { return false }
            keys.append(entry.key)
            return true
        }
        return keys
    }
}
