import HashTreeCollections
import HearthModel

/// The indexes in memory, by where they look.
///
/// An index is made when a query first wishes for it, and kept by every commit from then on. So a
/// field that nobody asks about costs nothing.
struct IndexTable: Sendable {
    /// Where an index looks.
    enum Space: Hashable, Sendable {
        /// One collection.
        case collection(ResourcePath)
        /// All collections of an id.
        case group(UTF8Text)
    }

    /// The most indexes of one database; the oldest makes room. Each costs memory and commits.
    static let countMax = 256

    private var spaces: TreeDictionary<Space, TreeDictionary<FieldIndex.Name, FieldIndex>> = [:]
    private var made: [(space: Space, name: FieldIndex.Name)] = []

    /// How many indexes there are.
    var count: Int { made.count }

    /// The index, if it has been made.
    func index(_ name: FieldIndex.Name, of space: Space) -> FieldIndex? {
        spaces[space]?[name]
    }

    /// Keeps a new index.
    mutating func add(_ index: FieldIndex, of space: Space) {
        if made.count >= Self.countMax {
            let oldest = made.removeFirst()
            spaces.change(oldest.space) { $0[oldest.name] = nil }
            if spaces[oldest.space]?.isEmpty ?? false { spaces[oldest.space] = nil }
        }
        spaces[space, default: [:]][index.name] = index
        made.append((space, index.name))
    }

    /// Takes a change of a document. O(i log n), i indexes of its collection and group.
    mutating func update(_ change: DocumentChange) {
        if spaces.isEmpty { return }
        update(change, in: .collection(change.key.collection))
        update(change, in: .group(UTF8Text(change.key.collectionGroup)))
    }

    private mutating func update(_ change: DocumentChange, in space: Space) {
        guard let names = spaces[space].map({ Array($0.keys) }) else { return }
        spaces.change(space) { indexes in
            for name in names { indexes.change(name) { $0.update(change) } }
        }
    }
}
