import HashTreeCollections
import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

/// A change asks the views that it may concern, and looks at no other view.
struct ViewIndexTests {
    private func view(of query: Query, _ documents: [Document] = []) -> View {
        var view = View(query: query, syncedKeys: [])
        _ = view.decide(view.draft(documents.filter { query.matches($0) }))
        return view
    }

    private func query(_ filters: Filter..., on path: String = "rooms") -> Query {
        var query = collection(path)
        query.filters = filters
        return query
    }

    private func field(_ name: String, _ op: FieldFilter.Operator, _ value: Value) -> Filter {
        .field(FieldFilter(field: FieldPath([name]), op: op, value: value))
    }

    /// Takes changed documents to the views they concern, as the engine does, and returns those.
    private func change(_ table: inout ViewTable, to documents: [Document]) -> [ViewID] {
        let touched = table.touched(by: documents, targets: [], reached: .zero)
        for (id, documents) in touched {
            guard let draft = table[id]?.view.draft(documents) else { continue }
            _ = table.change(id, isWatched: true) { $0.decide(draft) }
        }
        return touched.map(\.id)
    }

    @Test func `of a thousand views for other values a change looks at none`() {
        var table = ViewTable()
        for number in 0..<1_000 {
            let floor = query(field("floor", .equal, .integer(Int64(number))))
            table.insert(view(of: floor), target: TargetID(Int32(2 * number + 2)), isWatched: true)
        }
        let third = document("rooms/a", ["floor": .integer(3)])
        #expect(change(&table, to: [third]) == [ViewID(4)])
        #expect(table.lookCount <= 4)
        // It leaves one view and comes into another.
        let before = table.lookCount
        let ninth = document("rooms/a", at: 2_000, ["floor": .double(9)])
        #expect(change(&table, to: [ninth]) == [ViewID(4), ViewID(10)])
        #expect(table[ViewID(4)]?.view.documents.isEmpty == true)
        #expect(table[ViewID(10)]?.view.documents.count == 1)
        #expect(change(&table, to: [.missing(ninth.key, at: version(3_000))]) == [ViewID(10)])
        #expect(change(&table, to: [document("rooms/b", ["ceiling": .integer(3)])]).isEmpty)
        #expect(table.lookCount - before <= 12)
    }

    @Test func `of a thousand views of other stretches a change looks at few`() {
        var table = ViewTable()
        for number in 0..<1_000 {
            let start = Int64(number * 10)
            let floors = query(
                field("open", .equal, .boolean(true)),
                field("floor", .greaterThanOrEqual, .integer(start)),
                field("floor", .lessThan, .integer(start + 10)))
            table.insert(view(of: floors), target: TargetID(Int32(2 * number + 2)), isWatched: true)
        }
        let low = document("rooms/a", ["open": .boolean(true), "floor": .integer(35)])
        #expect(change(&table, to: [low]) == [ViewID(4)])
        #expect(table.lookCount < 40)
        let high = document("rooms/a", at: 2_000, ["open": .boolean(true), "floor": .integer(95)])
        #expect(change(&table, to: [high]) == [ViewID(4), ViewID(10)])
        #expect(table.lookCount < 80)
        for number in 0..<1_000 { table.remove(ViewID(UInt64(number + 1))) }
        #expect(change(&table, to: [high]).isEmpty)
    }

    @Test func `of ten thousand views with full limits a change behind their ends asks none`() {
        var table = ViewTable()
        let rooms = (0..<4).map { document("rooms/r\($0)", ["size": .integer(Int64($0))]) }
        for number in 0..<10_000 {
            // All look alike to the index: what differs demands nothing.
            var query = query(field("size", .notEqual, .integer(Int64(100 + number))))
            query.limit = Query.Limit(2, number < 10 ? .last : .first)
            table.insert(
                view(of: query, rooms), target: TargetID(Int32(2 * number + 2)), isWatched: true)
        }
        func asked(_ document: Document) -> Int {
            let before = table.askCount
            let ids = change(&table, to: [document])
            #expect(ids.count == table.askCount - before)
            return ids.count
        }
        #expect(asked(document("rooms/s", ["size": .integer(9)])) == 10)
        #expect(asked(document("rooms/t", ["size": .double(0.5)])) == 9_990)
        #expect(asked(.missing(key("rooms/x"), at: version(9))) == 0)
        #expect(asked(.missing(key("rooms/s"), at: version(9_000))) == 10)
    }

    @Test func `a view that shows a document is asked though it would not find it`() {
        var table = ViewTable()
        let open = query(field("open", .equal, .boolean(true)))
        let hall = document("rooms/hall", ["open": .boolean(true)])
        table.insert(view(of: open, [hall]), target: TargetID(2), isWatched: true)
        #expect(table.shows(hall.key))
        #expect(change(&table, to: [.missing(hall.key, at: version(2))]) == [ViewID(1)])
        #expect(!table.shows(hall.key))
        #expect(change(&table, to: [.missing(hall.key, at: version(3))]).isEmpty)
    }

    @Test func `a removed view is found no more, and those beside it are`() {
        var table = ViewTable()
        let open = query(field("open", .equal, .boolean(true)))
        let ordered = query(
            field("open", .equal, .boolean(true)), field("size", .greaterThan, .integer(1)))
        let hall = document("rooms/hall", ["open": .boolean(true), "size": .integer(5)])
        for (number, query) in [open, ordered].enumerated() {
            table.insert(
                view(of: query, [hall]), target: TargetID(Int32(2 * number + 2)), isWatched: true)
        }
        #expect(change(&table, to: [hall]) == [ViewID(1), ViewID(2)])
        table.remove(ViewID(1))
        #expect(change(&table, to: [hall]) == [ViewID(2)])
        #expect(table.shows(hall.key))
        table.remove(ViewID(2))
        #expect(change(&table, to: [hall]).isEmpty)
        #expect(!table.shows(hall.key))
    }

    @Test(arguments: 1...40)
    func `every view shows what it would show if it were asked about everything`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var table = ViewTable()
        var queries: [ViewID: Query] = [:]
        for number in 1...30 {
            let query = chanceQuery(&random)
            guard table.id(of: query) == nil else { continue }
            table.insert(view(of: query), target: TargetID(Int32(2 * number)), isWatched: true)
            if let id = table.id(of: query) { queries[id] = query }
        }
        var documents: [DocumentKey: Document] = [:]
        for step in 1...60 {
            var changed: [DocumentKey: Document] = [:]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let document = chanceDocument(at: Int64(step) * 1_000, &random)
                changed[document.key] = document
            }
            documents.merge(changed) { $1 }
            _ = change(&table, to: Array(changed.values))
            if step == 30, let removed = queries.keys.min() {
                table.remove(removed)
                queries[removed] = nil
            }
            for (id, query) in queries {
                let expected = documents.values.filter { query.matches($0) }.map(\.key)
                let shown = table[id]?.view.documents.keys.sorted()
                #expect(shown == expected.sorted(), "\(query.canonicalID) at step \(step)")
            }
            for key in documents.keys {
                let isShown = queries.keys.contains {
                    table[$0]?.view.documents.contains(key) ?? false
                }
                #expect(table.shows(key) == isShown, "\(key) at step \(step)")
            }
        }
    }

    // MARK: Chance

    private let values: [Value] = [
        .integer(0), .double(-0.0), .integer(1), .double(1), .double(1.5), .null, .double(.nan),
        .string("a"), .array([.integer(1), .string("a")]), .array([.double(1), .integer(2)]),
        .map(["n": .integer(1)]), .map(["n": .double(1)]),
    ]
    private let paths = ["rooms/a", "rooms/b", "rooms/c", "halls/a", "halls/b/rooms/a"]

    private func chanceDocument(at time: Int64, _ random: inout SeededRandom) -> Document {
        let path = paths.randomElement(using: &random) ?? "rooms/a"
        if Int.random(in: 0..<5, using: &random) == 0 {
            return .missing(key(path), at: version(time))
        }
        var fields: [(String, Value)] = []
        for name in ["x", "y"] where Int.random(in: 0..<4, using: &random) > 0 {
            fields.append((name, values.randomElement(using: &random) ?? .null))
        }
        return document(path, at: time, MapValue(fields))
    }

    private func chanceQuery(_ random: inout SeededRandom) -> Query {
        var query: Query
        switch Int.random(in: 0..<6, using: &random) {
        case 0: query = Query(collectionGroup: "rooms")
        case 1: query = collection("halls")
        case 2: query = Query(document: key(paths.randomElement(using: &random) ?? "rooms/a"))
        default: query = collection("rooms")
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            query.filters.append(chanceFilter(depth: 0, &random))
        }
        if Int.random(in: 0..<3, using: &random) == 0, !query.path.count.isMultiple(of: 2) {
            let direction: OrderBy.Direction =
                Bool.random(using: &random) ? .ascending : .descending
            query.explicitOrderBys = [OrderBy(FieldPath(["x"]), direction)]
            let bound = Bound(
                [values.randomElement(using: &random) ?? .null],
                isInclusive: Bool.random(using: &random))
            if Bool.random(using: &random) { query.startAt = bound } else { query.endAt = bound }
        }
        return query
    }

    private func chanceFilter(depth: Int, _ random: inout SeededRandom) -> Filter {
        let name = Bool.random(using: &random) ? "x" : "y"
        let value = values.randomElement(using: &random) ?? .null
        let other = values.randomElement(using: &random) ?? .null
        switch Int.random(in: 0..<(depth == 0 ? 9 : 6), using: &random) {
        case 0, 1: return field(name, .equal, value)
        case 2: return field(name, .arrayContains, value)
        case 3: return field(name, .isIn, .array([value, other]))
        case 4: return field(name, .arrayContainsAny, .array([value, other]))
        case 5:
            let ops: [FieldFilter.Operator] = [
                .greaterThan, .greaterThanOrEqual, .lessThan, .lessThanOrEqual, .notEqual,
            ]
            return field(name, ops.randomElement(using: &random) ?? .notEqual, value)
        case 6:
            let name = DocumentName(
                database: DatabaseID(project: "p"),
                key: key(paths.randomElement(using: &random) ?? ""))
            return .field(
                FieldFilter(field: .documentID, op: .equal, value: .reference(name)))
        case 7:
            return .unary(
                UnaryFilter(
                    field: FieldPath([name]), op: Bool.random(using: &random) ? .isNull : .isNaN))
        default:
            let op = Bool.random(using: &random) ? CompositeFilter.Operator.or : .and
            return .composite(
                CompositeFilter(
                    op: op,
                    filters: (0...1).map { _ in chanceFilter(depth: depth + 1, &random) }))
        }
    }
}
