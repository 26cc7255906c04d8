import HearthModel
import Testing

struct QueryMatchingTests {
    private func query(
        _ filters: [Filter] = [], _ orderBys: [OrderBy] = [], _ text: String = "c"
    ) -> Query {
        var query = Query(path: path(text))
        query.filters = filters
        query.explicitOrderBys = orderBys
        return query
    }

    @Test func `a collection holds its direct children`() {
        #expect(query().matches(found("c/a", [:])))
        #expect(!query().matches(found("c/a/d/b", [:])))
        #expect(!query().matches(found("cc/a", [:])))
        #expect(query([], [], "c/a/d").matches(found("c/a/d/b", [:])))
    }

    @Test func `a document's query matches it alone`() {
        let one = Query(document: key("c/a"))
        #expect(one.matches(found("c/a", [:])))
        #expect(!one.matches(found("c/b", [:])))
        #expect(!one.matches(found("c/a/d/b", [:])))
    }

    @Test func `a group holds all collections of its id, below its path and not at it`() {
        let everywhere = Query(collectionGroup: "d")
        #expect(everywhere.matches(found("d/a", [:])))
        #expect(everywhere.matches(found("c/a/d/b", [:])))
        #expect(!everywhere.matches(found("d/a/e/b", [:])))
        #expect(!everywhere.matches(found("c/d", [:])))
        let below = Query(collectionGroup: "d", below: path("d/a"))
        #expect(below.matches(found("d/a/d/b", [:])))
        #expect(below.matches(found("d/a/x/y/d/b", [:])))
        #expect(!below.matches(found("d/a", [:])))
        #expect(!below.matches(found("d/ab/d/b", [:])))
        #expect(!Query(collectionGroup: "\u{E9}").matches(found("e\u{301}/a", [:])))
    }

    @Test func `only a document that is found matches`() {
        #expect(!query().matches(.missing(key("c/a"), at: version(1))))
        #expect(!query().matches(.unknown(key("c/a"), at: version(1))))
        #expect(!query().matches(.invalid(key("c/a"))))
    }

    @Test func `every sort key must be present, also as null`() {
        let byA = query([], [OrderBy(field("a"))])
        #expect(byA.matches(found("c/x", ["a": .null])))
        #expect(!byA.matches(found("c/x", ["b": .null])))
        let nested = query([], [OrderBy(field("a.b"))])
        #expect(nested.matches(found("c/x", ["a": .map(["b": .integer(1)])])))
        #expect(!nested.matches(found("c/x", ["a": .integer(1)])))
    }

    @Test func `an inequality within an or needs its field all the same`() {
        let either = query([
            .or([
                .field(field("a"), .greaterThan, .integer(1)),
                .field(field("b"), .equal, .integer(1)),
            ])
        ])
        #expect(either.matches(found("c/x", ["a": .integer(0), "b": .integer(1)])))
        #expect(either.matches(found("c/x", ["a": .string("x"), "b": .integer(1)])))
        #expect(!either.matches(found("c/x", ["b": .integer(1)])))
        #expect(either.matches(found("c/x", ["a": .integer(2)])))
    }

    @Test func `filters and bounds must all let the document in`() {
        var range = query([.field(field("b"), .equal, .integer(1))], [OrderBy(field("a"))])
        range.startAt = Bound([.integer(2)], isInclusive: true)
        range.endAt = Bound([.integer(4)], isInclusive: false)
        let hits = (0...5).filter { number in
            range.matches(found("c/x", ["a": .integer(number), "b": .integer(1)]))
        }
        #expect(hits == [2, 3])
        #expect(!range.matches(found("c/x", ["a": .integer(2), "b": .integer(2)])))
    }

    @Test func `a bound may cut among the implicit sort keys`() {
        var range = query([.field(field("a"), .greaterThan, .integer(0))])
        range.startAt = Bound([.integer(2), reference("c/m")], isInclusive: false)
        #expect(!range.matches(found("c/m", ["a": .integer(2)])))
        #expect(range.matches(found("c/n", ["a": .integer(2)])))
        #expect(range.matches(found("c/a", ["a": .integer(3)])))
    }

    @Test func `the dialect decides over strict membership`() {
        let inOne = query([.field(field("a"), .isIn, .array([.integer(1)]))])
        let document = found("c/x", ["a": .double(1)])
        #expect(!inOne.matches(document))
        #expect(!inOne.matches(document, .cache))
        #expect(inOne.matches(document, .backend))
    }
}
