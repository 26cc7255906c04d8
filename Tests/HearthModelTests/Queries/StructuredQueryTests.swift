import HearthModel
import Testing

struct StructuredQueryTests {
    private let a1 = Filter.field(field("a"), .equal, .integer(1))
    private let b2 = Filter.field(field("b"), .greaterThan, .integer(2))

    private func expectRoundTrip(
        _ target: Target, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let back = try Target(target.structuredQuery)
        #expect(back == target, sourceLocation: sourceLocation)
    }

    @Test func `a target comes back equal from its wire form`() throws {
        let isNull = Filter.field(field("a"), .equal, .null)
        let isNaN = Filter.field(field("a"), .equal, .double(.nan))
        let notNull = Filter.field(field("a"), .notEqual, .null)
        let notNaN = Filter.field(field("a"), .notEqual, .double(.nan))
        let filters: [[Filter]] = [
            [], [a1], [a1, b2], [.or([a1, b2])], [.or([a1, b2]), b2], [.and([.or([a1, b2]), b2])],
            [.or([.and([a1, b2]), isNull])], [isNull, isNaN], [notNull, notNaN], [.and([a1])],
            [.or([isNull, .and([isNaN, notNull])]), .or([b2, a1])], [.and([a1, .and([b2, a1])])],
        ]
        for filter in filters {
            try expectRoundTrip(Target(path: path("a/b/c"), filters: filter))
            try expectRoundTrip(Target(path: path("a/b"), collectionGroup: "c", filters: filter))
        }
        try expectRoundTrip(
            Target(
                path: .root, collectionGroup: "c", filters: [b2],
                orderBys: [OrderBy(field("b"), .descending), OrderBy(.documentID, .descending)],
                limit: 7, startAt: Bound([.integer(1)], isInclusive: true),
                endAt: Bound([.integer(0), reference("c/a")], isInclusive: false)))
    }

    @Test func `parent and source are read from the path`() {
        let nested = Target(path: path("a/b/c")).structuredQuery
        #expect(nested.parent == path("a/b"))
        #expect(nested.source == .init(collectionID: "c", allDescendants: false))
        let top = Target(path: path("c")).structuredQuery
        #expect(top.parent == .root)
        let group = Target(path: path("a/b"), collectionGroup: "c").structuredQuery
        #expect(group.parent == path("a/b"))
        #expect(group.source == .init(collectionID: "c", allDescendants: true))
    }

    @Test func `null and NaN are unary on the wire, and one filter stands alone`() {
        func wire(_ filters: [Filter]) -> Filter? {
            Target(path: path("c"), filters: filters).structuredQuery.filter
        }
        func unary(_ op: UnaryFilter.Operator) -> Filter {
            .unary(UnaryFilter(field: field("a"), op: op))
        }
        #expect(wire([]) == nil)
        #expect(wire([a1]) == a1)
        #expect(wire([a1, b2]) == .and([a1, b2]))
        #expect(wire([.field(field("a"), .equal, .null)]) == unary(.isNull))
        #expect(wire([.field(field("a"), .notEqual, .null)]) == unary(.isNotNull))
        #expect(wire([.field(field("a"), .equal, .double(.nan))]) == unary(.isNaN))
        #expect(
            wire([.or([.field(field("a"), .notEqual, .double(.nan)), a1])])
                == .or([unary(.isNotNaN), a1]))
        #expect(
            wire([.field(field("a"), .lessThan, .null)]) == .field(field("a"), .lessThan, .null))
    }

    @Test func `what a cache cannot answer is refused`() {
        func code(_ change: (inout StructuredQuery) -> Void) -> StatusCode? {
            var query = StructuredQuery(parent: .root, source: .init(collectionID: "c"))
            change(&query)
            do throws(HearthError) {
                _ = try Target(query)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code { _ in } == nil)
        #expect(code { $0.offset = 1 } == .unimplemented)
        #expect(code { $0.projection = [] } == .unimplemented)
        #expect(code { $0.source = nil } == .invalidArgument)
        #expect(code { $0.source = .init(collectionID: nil) } == .invalidArgument)
    }

    @Test func `a target gives back its query, for either end`() {
        var query = Query(path: path("c"))
        query.filters = [a1, b2]
        query.explicitOrderBys = [OrderBy(field("b")), OrderBy(.documentID)]
        query.startAt = Bound([.integer(1)], isInclusive: true)
        query.endAt = Bound([.integer(5)], isInclusive: false)
        #expect(query.target.query() == query)
        query.limit = .init(3)
        #expect(query.target.query(limitedTo: .first) == query)
        query.limit = .init(3, .last)
        #expect(query.target.query(limitedTo: .last) == query)
        let group = Query(collectionGroup: "c", below: path("a/b"))
        #expect(group.target.query().target == group.target)
        let document = Query(document: key("c/a"))
        #expect(document.target.query().documentKey == key("c/a"))
    }
}
