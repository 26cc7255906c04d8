import HashTreeCollections
import HearthModel

/// Finds the queries that a change may concern, among any number of them.
///
/// A query is found by where it looks, and then by what it demands most narrowly: a name, the value
/// of a field, an element of an array. So a change asks nothing of those that look elsewhere or for
/// something else; only queries that demand nothing of the kind are all asked.
struct PlanIndex<ID: Hashable & Comparable & Sendable>: Sendable {
    private var shelves: TreeDictionary<Shelf.Place, Shelf> = [:]
    private var marks: TreeDictionary<ID, Mark> = [:]
    /// How many queries look further than at one collection.
    private var wideCount = 0

    /// The index of no queries.
    init() {}

    /// How many queries there are.
    var count: Int { marks.count }

    /// Adds a query.
    ///
    /// - Complexity: O(c), c conditions of the query.
    mutating func insert(_ id: ID, _ plan: QueryPlan) {
        let place = Shelf.Place(plan.scope)
        if place.isWide { wideCount += 1 }
        var shelf = shelves[place] ?? Shelf()
        shelves[place] = nil  // Then the shelf is ours alone and changes in place.
        let ways = Demand.all(of: plan)
        let contested = shelf.count(ways)
        let way = shelf.narrowest(of: ways)
        shelf.insert(id, way)
        marks[id] = Mark(place: place, ways: ways, way: way)
        for other in contested.flatMap({ shelf.members(of: $0) }) where other != id {
            // The demand by which it alone was found is now another's too.
            guard let mark = marks[other] else { continue }
            shelf.remove(other, mark.way)
            let better = shelf.narrowest(of: mark.ways)
            shelf.insert(other, better)
            marks[other]?.way = better
        }
        shelves[place] = shelf
    }

    /// Takes a query away, if it is there.
    mutating func remove(_ id: ID) {
        guard let mark = marks.removeValue(forKey: id) else { return }
        if mark.place.isWide { wideCount -= 1 }
        shelves[mark.place]?.remove(id, mark.way)
        shelves[mark.place]?.discount(mark.ways)
        if shelves[mark.place]?.isEmpty ?? false { shelves[mark.place] = nil }
    }

    /// The queries that a change may concern, in order.
    ///
    /// - Complexity: O(f + k log k), f fields that queries of the document's collection demand
    ///   something of, k queries found.
    func queries(concernedBy change: DocumentChange) -> [ID] {
        if marks.isEmpty { return [] }
        var found: Set<ID> = []
        for place in places(of: change.key) {
            shelves[place]?.collect(change, into: &found)
        }
        return found.sorted()
    }

    private func places(of key: DocumentKey) -> [Shelf.Place] {
        let collection = key.collection
        var places: [Shelf.Place] = [.collection(collection)]
        if wideCount == 0 { return places }
        places.append(.children(of: collection.parent))
        let group = UTF8Text(key.collectionGroup)
        var above = collection
        while !above.isEmpty {
            above = above.parent
            places.append(.group(group, below: above))
            places.append(.everything(below: above))
        }
        return places
    }

    /// Where a query stands, and by which of its demands it is found.
    private struct Mark: Sendable {
        let place: Shelf.Place
        let ways: [[Demand]]
        var way: [Demand]
    }

    /// The queries that look at one place.
    private struct Shelf: Sendable {
        /// Where a query looks.
        enum Place: Hashable, Sendable {
            case collection(ResourcePath)
            case group(UTF8Text, below: ResourcePath)
            case children(of: ResourcePath)
            case everything(below: ResourcePath)

            init(_ scope: QueryPlan.Scope) {
                switch scope {
                case .collection(let path): self = .collection(path)
                case .group(let id, let parent): self = .group(UTF8Text(id), below: parent)
                case .children(let parent): self = .children(of: parent)
                case .everything(let parent): self = .everything(below: parent)
                }
            }

            var isWide: Bool {
                if case .collection = self { return false }
                return true
            }
        }

        private var demands: TreeDictionary<Demand, TreeSet<ID>> = [:]
        /// How many queries are found by a demand of each field.
        private var fields: TreeDictionary<Demand.Subject, Int> = [:]
        /// How many queries make each demand, found by it or not.
        private var counts: TreeDictionary<Demand, Int> = [:]

        init() {}

        var isEmpty: Bool { demands.isEmpty }

        /// Counts a query's demands, and returns those that were one other's alone.
        mutating func count(_ ways: [[Demand]]) -> [Demand] {
            ways.flatMap(\.self).filter { demand in
                counts[demand, default: 0] += 1
                return counts[demand] == 2
            }
        }

        /// Counts a query's demands no longer.
        mutating func discount(_ ways: [[Demand]]) {
            for demand in ways.flatMap(\.self) {
                counts[demand, default: 0] -= 1
                if counts[demand] == 0 { counts[demand] = nil }
            }
        }

        /// Of several ways to find a query the one that it shares with the fewest.
        func narrowest(of ways: [[Demand]]) -> [Demand] {
            let sizes = ways.map { way in way.reduce(0) { $0 + (counts[$1] ?? 0) - 1 } }
            let best = sizes.indices.min { sizes[$0] < sizes[$1] }
            return best.map { ways[$0] } ?? [.nothing]
        }

        /// The queries that are found by a demand.
        func members(of demand: Demand) -> TreeSet<ID> { demands[demand] ?? [] }

        mutating func insert(_ id: ID, _ way: [Demand]) {
            for demand in way {
                demands[demand, default: []].insert(id)
                fields[demand.subject, default: 0] += 1
            }
        }

        mutating func remove(_ id: ID, _ way: [Demand]) {
            for demand in way {
                demands[demand]?.remove(id)
                if demands[demand]?.isEmpty ?? false { demands[demand] = nil }
                fields[demand.subject, default: 0] -= 1
                if fields[demand.subject] == 0 { fields[demand.subject] = nil }
            }
        }

        func collect(_ change: DocumentChange, into found: inout Set<ID>) {
            for subject in fields.keys {
                for demand in subject.demands(metBy: change) {
                    if let ids = demands[demand] { found.formUnion(ids) }
                }
            }
        }
    }
}
