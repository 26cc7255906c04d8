import HearthModel
import Testing

struct QueryLimitsTests {
    private let size = FieldPath(["size"])

    private func query(_ filter: Filter?) -> StructuredQuery {
        var query = StructuredQuery(parent: .root, source: .init(collectionID: "rooms"))
        query.filter = filter
        return query
    }

    private func list(_ count: Int) -> Value { .array((0..<count).map { .integer(Int64($0)) }) }

    @Test(arguments: [FieldFilter.Operator.isIn, .arrayContainsAny])
    func `a list has thirty values at most`(op: FieldFilter.Operator) throws {
        try query(.field(size, op, list(30))).checkLimits()
        #expect(throws: HearthError.self) { try query(.field(size, op, list(31))).checkLimits() }
        #expect(throws: HearthError.self) {
            try query(.field(size, op, list(150_000))).checkLimits()
        }
    }

    @Test func `what a field must not be has ten values at most`() throws {
        try query(.field(size, .isNotIn, list(10))).checkLimits()
        #expect(throws: HearthError.self) {
            try query(.field(size, .isNotIn, list(11))).checkLimits()
        }
    }

    @Test func `disjunctions multiply where conditions stand together`() throws {
        let five = Filter.field(size, .isIn, list(5))
        try query(.and([five, .field(size, .isIn, list(6))])).checkLimits()
        #expect(throws: HearthError.self) {
            try query(.and([five, .field(size, .isIn, list(7))])).checkLimits()
        }
        let six = Filter.or((0..<6).map { .field(size, .equal, .integer($0)) })
        try query(.and([six, five])).checkLimits()
        #expect(throws: HearthError.self) { try query(.and([six, six])).checkLimits() }
        let manyTimes = Filter.and(Array(repeating: six, count: 16))
        #expect(throws: HearthError.self) { try query(manyTimes).checkLimits() }
    }

    @Test func `filters and sort keys are a hundred together`() throws {
        var full = query(.and(Array(repeating: .field(size, .equal, .integer(1)), count: 60)))
        full.orderBys = (0..<40).map { OrderBy(FieldPath(["f\($0)"])) }
        try full.checkLimits()
        full.orderBys.append(OrderBy(FieldPath(["one more"])))
        #expect(throws: HearthError.self) { try full.checkLimits() }
    }

    @Test func `names in a query have the limits of names`() throws {
        let long = FieldPath([String(repeating: "f", count: 1_501)])
        #expect(throws: HearthError.self) {
            try query(.field(long, .equal, .null)).checkLimits()
        }
        let deep = try ResourcePath(segments: Array(repeating: "a", count: 202))
        #expect(throws: HearthError.self) {
            try StructuredQuery(parent: deep, source: .init(collectionID: "c")).checkLimits()
        }
        let reserved = StructuredQuery(parent: .root, source: .init(collectionID: "__c__"))
        #expect(throws: HearthError.self) { try reserved.checkLimits() }
    }

    @Test func `a query that is validated is within the limits`() {
        var query = Query(path: ResourcePath(["rooms"]))
        query.filters = [.field(size, .isIn, list(31))]
        #expect(throws: HearthError.self) { try query.validate() }
    }

    @Test func `a query below a collection is none`() throws {
        let rooms = ResourcePath(["rooms"])
        let query = StructuredQuery(parent: rooms, source: .init(collectionID: "hall"))
        #expect(throws: HearthError.self) { try Target(query) }
        let group = StructuredQuery(
            parent: rooms, source: .init(collectionID: "hall", allDescendants: true))
        #expect(throws: HearthError.self) { try Target(group).query().validate() }
    }
}
