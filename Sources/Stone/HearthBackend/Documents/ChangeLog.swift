import HearthModel

/// Which documents each of the last commits changed.
struct ChangeLog: Sendable {
    /// One commit.
    struct Entry: Sendable {
        let version: SnapshotVersion
        /// The size of the versions that are kept only because of this commit.
        let byteCount: Int
        private let changed: Changed

        fileprivate init(_ version: SnapshotVersion, _ keys: [DocumentKey], byteCount: Int) {
            self.version = version
            self.byteCount = byteCount
            changed = keys.count == 1 ? .one(keys[0]) : .many(keys)
        }

        /// The documents.
        var keys: [DocumentKey] {
            switch changed {
            case .one(let key): [key]
            case .many(let keys): keys
            }
        }
    }

    /// Most commits change one document, which then needs no array.
    private enum Changed {
        case one(DocumentKey)
        case many([DocumentKey])
    }

    /// Everything that changed after this moment is in the log.
    private(set) var start = SnapshotVersion.zero
    /// The size of all versions that are kept only for the log.
    private(set) var byteCount = 0
    private var entries = OrderedTree<Entry>()

    /// A log of nothing, that begins at a moment.
    init(start: SnapshotVersion = .zero) {
        self.start = start
    }

    /// How many commits are remembered.
    var count: Int { entries.count }

    /// The oldest commit.
    var first: Entry? { entries.first }

    /// The newest commit; the start if there is none.
    var end: SnapshotVersion { entries.last?.version ?? start }

    /// Adds a commit, newer than all others.
    mutating func append(
        _ version: SnapshotVersion, _ keys: [DocumentKey], byteCount: Int
    ) {
        entries.insert(Entry(version, keys, byteCount: byteCount), by: Self.order)
        self.byteCount += byteCount
    }

    /// Forgets the oldest commit; the log then begins with it.
    mutating func removeFirst() {
        guard let first else { return }
        start = first.version
        byteCount -= first.byteCount
        entries.remove(first, by: Self.order)
    }

    /// How many commits came after a moment. O(log n).
    func count(after moment: SnapshotVersion) -> Int {
        entries.count - entries.firstIndex { $0.version > moment }
    }

    /// The documents that changed after a moment, each once, in the order of their first change.
    ///
    /// - Complexity: O(log n + k), k changes since.
    func keys(after moment: SnapshotVersion) -> [DocumentKey] {
        var seen: Set<DocumentKey> = []
        var result: [DocumentKey] = []
        entries.walk(from: entries.firstIndex { $0.version > moment }) { entry in
            for key in entry.keys where seen.insert(key).inserted { result.append(key) }
            return true
        }
        return result
    }

    private static func order(_ left: Entry, _ right: Entry) -> Int {
        left.version < right.version ? -1 : (left.version == right.version ? 0 : 1)
    }
}
