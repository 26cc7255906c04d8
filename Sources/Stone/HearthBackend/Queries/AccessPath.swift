import HearthModel

/// Where to look for a query's results: the place holds all results, and perhaps other documents.
enum AccessPath {
    /// Places of an index.
    case index(IndexStretch)
    /// Places of a collection's names.
    case names(ResourcePath, Range<Int>)
    /// Documents by name, each once.
    case documents([DocumentKey])
    /// Several places, which can hold the same documents.
    case union([AccessPath])

    /// How many documents would have to be looked at.
    var count: Int {
        switch self {
        case .index(let stretch): stretch.places.count
        case .names(_, let places): places.count
        case .documents(let keys): keys.count
        case .union(let parts): parts.reduce(0) { $0 + $1.count }
        }
    }
}

/// Some places of an index that lie side by side.
struct IndexStretch {
    let index: FieldIndex
    let places: Range<Int>
    /// Whether all entries have one value.
    let isSingleValue: Bool
}
