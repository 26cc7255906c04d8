import HashTreeCollections
import HearthModel

/// Finds the queries that a change may concern, among many queries.
///
/// The index finds a query by the place where the query looks, and then by the query's narrowest
/// demand: a name, the value of a field, an element of an array, a stretch of values. A change
/// therefore asks nothing of queries that look elsewhere or demand something else. Only queries
/// without a demand are all asked.
struct PlanIndex<ID: Hashable & Comparable & Sendable>: Sendable {
    private typealias Place = PlanShelf<ID>.Place

    private var shelves: TreeDictionary<Place, PlanShelf<ID>> = [:]
    private var marks: TreeDictionary<ID, Mark> = [:]
    /// How many queries look further than at one collection.
    private var wideCount = 0

    /// The index of no queries.
    init() {}

    /// How many queries there are.
    var count: Int { marks.count }

    /// Adds a query, in place of an earlier query with the same id.
    ///
    /// - Parameter reach: The values of the query's first sort key that can concern the watchers;
    ///   `nil` for all.
    /// - Complexity: O(c log n), c conditions of the query, n queries that look at the same place.
    mutating func insert(_ id: ID, _ plan: QueryPlan, reach: ValueRange? = nil) {
        remove(id)
        let place = Place(plan.scope)
        if place.isWide { wideCount += 1 }
        var shelf = shelves[place] ?? PlanShelf()
        shelves[place] = nil  // Then the shelf is ours alone and changes in place.
        let ways = Demand.ways(of: plan, reach: reach)
        let contested = shelf.count(ways, of: id)
        let way = shelf.narrowest(of: ways)
        shelf.insert(id, way)
        marks[id] = Mark(place: place, ways: ways, way: way)
        for other in contested.flatMap({ shelf.members(of: $0) }) where other != id {
            // Until now only `other` made this demand, so another way may now be narrower.
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
        guard var shelf = shelves[mark.place] else { return }
        shelves[mark.place] = nil
        shelf.remove(id, mark.way)
        shelf.discount(mark.ways, of: id)
        if !shelf.isEmpty { shelves[mark.place] = shelf }
    }

    /// The queries that a change may concern, in order.
    ///
    /// - Complexity: O(f log n + k log n), f fields that queries of the document's collection demand
    ///   something of, n queries there, k queries found.
    func queries(concernedBy change: DocumentChange) -> [ID] {
        if marks.isEmpty { return [] }
        var found: Set<ID> = []
        for place in places(of: change.key) {
            shelves[place]?.collect(change, into: &found)
        }
        return found.sorted()
    }

    private func places(of key: DocumentKey) -> [Place] {
        let collection = key.collection
        var places: [Place] = [.collection(collection)]
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

    /// The place of a query, and the way that finds the query.
    private struct Mark: Sendable {
        let place: Place
        let ways: [[Demand]]
        var way: [Demand]
    }
}
