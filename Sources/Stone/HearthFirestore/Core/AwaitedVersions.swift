import HashTreeCollections
import HearthModel

/// Items that wait for the backend's silence to be an answer.
///
/// The items are in the order of the first version at which the silence counts.
///
/// There are three kinds of item: a result of a view, with acknowledged writes, that the backend
/// has not named; a document that left the results by an acknowledged write; and a view with such
/// documents.
///
/// Persistent: a copy is cheap.
struct AwaitedVersions<Item: Hashable & Comparable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let version: SnapshotVersion
        let item: Item

        static func order(_ left: Self, _ right: Self) -> Int {
            if left.version != right.version { return left.version < right.version ? -1 : 1 }
            if left.item == right.item { return 0 }
            return left.item < right.item ? -1 : 1
        }
    }

    private var entries = OrderedTree<Entry>()
    private var versions: TreeDictionary<Item, SnapshotVersion> = [:]

    /// The first version for which something waits.
    var first: SnapshotVersion? { entries.first?.version }

    /// Whether nothing waits.
    var isEmpty: Bool { versions.isEmpty }

    /// All items that wait, in no order. O(items).
    var all: [Item] { Array(versions.keys) }

    /// Lets an item wait for a version, or for none any more. O(log items).
    mutating func set(_ version: SnapshotVersion?, of item: Item) {
        if version == nil && versions.isEmpty { return }
        let old = versions[item]
        guard old != version else { return }
        if let old { entries.remove(Entry(version: old, item: item), by: Entry.order) }
        if let version { entries.insert(Entry(version: version, item: item), by: Entry.order) }
        versions[item] = version
    }

    /// The items that wait for `version` or an earlier version. O(items found).
    func items(upTo version: SnapshotVersion) -> [Item] {
        var items: [Item] = []
        entries.walk { entry in
            guard entry.version <= version else { return false }
            items.append(entry.item)
            return true
        }
        return items
    }
}
