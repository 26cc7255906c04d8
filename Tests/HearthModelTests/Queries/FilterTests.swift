import HearthModel
import Testing

struct FilterTests {
    private let a1 = Filter.field(field("a"), .equal, .integer(1))
    private let b2 = Filter.field(field("b"), .equal, .integer(2))
    private let c3 = Filter.field(field("c"), .greaterThan, .integer(3))

    @Test func `and needs all, or needs one`() {
        let both = found("c/x", ["a": .integer(1), "b": .integer(2)])
        let one = found("c/x", ["a": .integer(1), "b": .integer(3)])
        let none = found("c/x", ["a": .integer(0)])
        #expect(Filter.and([a1, b2]).matches(both, .cache))
        #expect(!Filter.and([a1, b2]).matches(one, .cache))
        #expect(Filter.or([a1, b2]).matches(one, .cache))
        #expect(!Filter.or([a1, b2]).matches(none, .cache))
        #expect(Filter.and([a1, .or([b2, .and([a1])])]).matches(one, .cache))
    }

    @Test func `unary tests look for null and NaN`() {
        func matches(_ op: UnaryFilter.Operator, _ value: Value) -> Bool {
            Filter.unary(UnaryFilter(field: field("a"), op: op))
                .matches(found("c/x", ["a": value]), .backend)
        }
        #expect(matches(.isNull, .null) && !matches(.isNull, .integer(0)))
        #expect(matches(.isNaN, .double(.nan)) && !matches(.isNaN, .null))
        #expect(matches(.isNotNull, .double(.nan)) && !matches(.isNotNull, .null))
        #expect(matches(.isNotNaN, .string("")) && !matches(.isNotNaN, .double(.nan)))
        #expect(!matches(.isNotNaN, .null))
        let absent = Filter.unary(UnaryFilter(field: field("b"), op: .isNotNull))
        #expect(!absent.matches(found("c/x", ["a": .null]), .backend))
    }

    @Test func `a unary test is a comparison in the cache`() {
        func comparison(_ op: UnaryFilter.Operator) -> FieldFilter {
            UnaryFilter(field: field("a"), op: op).comparison
        }
        #expect(comparison(.isNull) == FieldFilter(field: field("a"), op: .equal, value: .null))
        #expect(comparison(.isNotNull).op == .notEqual)
        #expect(comparison(.isNaN).value == .double(.nan))
        #expect(comparison(.isNotNaN).op == .notEqual)
        let values: [Value] = [.null, .double(.nan), .integer(0), .string("")]
        for op in [UnaryFilter.Operator.isNull, .isNotNull, .isNaN, .isNotNaN] {
            for value in values {
                let document = found("c/x", ["a": value])
                let unary = Filter.unary(UnaryFilter(field: field("a"), op: op))
                let compared = Filter.field(comparison(op))
                #expect(unary.matches(document, .cache) == compared.matches(document, .cache))
            }
        }
    }

    @Test func `all field filters are found at any depth`() {
        let test = UnaryFilter(field: field("d"), op: .isNull)
        let filter = Filter.or([a1, .and([b2, .unary(test), .or([c3])])])
        #expect(filter.flattened.map(\.field) == ["a", "b", "d", "c"].map(field))
    }

    @Test func `only an and of fields is a flat conjunction`() {
        #expect(CompositeFilter(op: .and, filters: [a1, b2]).isFlatConjunction)
        #expect(!CompositeFilter(op: .or, filters: [a1, b2]).isFlatConjunction)
        #expect(!CompositeFilter(op: .and, filters: [a1, .and([b2])]).isFlatConjunction)
    }
}
