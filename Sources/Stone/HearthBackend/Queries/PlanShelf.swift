import HashTreeCollections
import HearthModel

/// The queries of a place, by their demands.
struct PlanShelf<ID: Hashable & Comparable & Sendable>: Sendable {
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

        /// Whether it is more than one collection.
        var isWide: Bool {
            if case .collection = self { return false }
            return true
        }
    }

    private var queryCount = 0
    private var demands: TreeDictionary<Demand, TreeSet<ID>> = [:]
    /// How many queries are found by a demand of each field.
    private var subjects: TreeDictionary<Demand.Subject, Int> = [:]
    /// How many queries make each demand, whether or not the demand finds them; `ranges` counts
    /// stretches.
    private var counts: TreeDictionary<Demand, Int> = [:]
    private var ranges: TreeDictionary<FieldPath, RangeIndex<ID>> = [:]

    /// The shelf of no queries.
    init() {}

    /// Whether there are no queries.
    var isEmpty: Bool { queryCount == 0 }

    /// Counts a query and its demands.
    ///
    /// - Returns: The demands that exactly two queries now make.
    mutating func count(_ ways: [[Demand]], of id: ID) -> [Demand] {
        queryCount += 1
        return Set(ways.joined()).filter { demand in
            if case .range(let field, let range) = demand {
                update(field) { $0.count(range, of: id) }
                return count(of: demand) == 2
            }
            counts[demand, default: 0] += 1
            return counts[demand] == 2
        }
    }

    /// Counts a query and its demands no longer.
    mutating func discount(_ ways: [[Demand]], of id: ID) {
        queryCount -= 1
        for demand in Set(ways.joined()) {
            if case .range(let field, let range) = demand {
                update(field) { $0.discount(range, of: id) }
                continue
            }
            counts[demand, default: 0] -= 1
            if counts[demand] == 0 { counts[demand] = nil }
        }
    }

    /// The way to find a counted query that the fewest other queries share.
    func narrowest(of ways: [[Demand]]) -> [Demand] {
        if ways.count < 2 { return ways.first ?? [.nothing] }
        let sizes = ways.map { way in way.reduce(0) { $0 + count(of: $1) - 1 } }
        let best = sizes.indices.min { sizes[$0] < sizes[$1] }
        return best.map { ways[$0] } ?? [.nothing]
    }

    /// The queries found by a demand, or by a stretch that overlaps with the demand's stretch.
    func members(of demand: Demand) -> [ID] {
        guard case .range(let field, let range) = demand else {
            return Array(demands[demand] ?? [])
        }
        var members: [ID] = []
        ranges[field]?.visit(range) { members.append($0) }
        return members
    }

    /// Lets a query be found by some demands.
    mutating func insert(_ id: ID, _ way: [Demand]) {
        for demand in way {
            if case .range(let field, let range) = demand {
                update(field) { $0.insert(range, id) }
            }
            guard let subject = demand.subject else { continue }
            demands[demand, default: []].insert(id)
            subjects[subject, default: 0] += 1
        }
    }

    /// Lets a query be found by some demands no longer.
    mutating func remove(_ id: ID, _ way: [Demand]) {
        for demand in way {
            if case .range(let field, let range) = demand {
                update(field) { $0.remove(range, id) }
            }
            guard let subject = demand.subject else { continue }
            demands[demand]?.remove(id)
            if demands[demand]?.isEmpty ?? false { demands[demand] = nil }
            subjects[subject, default: 0] -= 1
            if subjects[subject] == 0 { subjects[subject] = nil }
        }
    }

    /// Adds the queries that a change may concern.
    func collect(_ change: DocumentChange, into found: inout Set<ID>) {
        for subject in subjects.keys {
            for demand in subject.demands(metBy: change) {
                if let ids = demands[demand] { found.formUnion(ids) }
            }
        }
        for (field, index) in ranges where index.findsAny {
            let values =
                field.isDocumentID
                ? [ValueRange.place(of: change.key)]
                : [change.old[field], change.new[field]].compactMap(\.self)
            for value in Set(values) {
                index.visit(ValueRange(.value(value), .value(value))) { found.insert($0) }
            }
        }
    }

    private func count(of demand: Demand) -> Int {
        guard case .range(let field, let range) = demand else { return counts[demand] ?? 0 }
        return ranges[field]?.overlapCount(range) ?? 0
    }

    private mutating func update(_ field: FieldPath, _ body: (inout RangeIndex<ID>) -> Void) {
        var index = ranges[field] ?? RangeIndex()
        body(&index)
        ranges[field] = index.isEmpty ? nil : index
    }
}
