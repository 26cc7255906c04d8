import HearthModel
import Testing

struct QueryValidationTests {
    private let name = reference("c/a")

    private func query(_ filters: [Filter], _ change: (inout Query) -> Void = { _ in }) -> Query {
        var query = Query(path: path("c"))
        query.filters = filters
        change(&query)
        return query
    }

    private func compare(_ op: FieldFilter.Operator, _ value: Value, _ text: String = "a") -> Filter
    {
        .field(field(text), op, value)
    }

    private func expectRefused(
        _ query: Query, _ code: StatusCode = .invalidArgument,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(HearthError) {
            try query.validate()
            Issue.record("accepted: \(query.canonicalID)", sourceLocation: sourceLocation)
        } catch {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
            #expect(error.message.hasSuffix("."), "\(error)", sourceLocation: sourceLocation)
        }
    }

    @Test func `sound queries pass`() throws {
        let list = Value.array([.integer(1)])
        let sound = [
            query([]), query([compare(.isIn, list), compare(.isIn, list, "b")]),
            query([compare(.isIn, list), compare(.arrayContainsAny, list, "b")]),
            query([compare(.isIn, list), compare(.notEqual, .integer(1))]),
            query([compare(.isNotIn, list), compare(.greaterThan, .integer(1), "b")]),
            query([compare(.notEqual, .null), compare(.lessThan, .integer(1))]),
            query([.or([compare(.equal, .integer(1)), .and([compare(.equal, .integer(2))])])]),
            query([.field(.documentID, .isIn, .array([name]))]),
            query([.field(.documentID, .greaterThan, name)]),
            query([.unary(UnaryFilter(field: field("a"), op: .isNull))]),
            query([]) {
                $0.limit = .init(1, .last)
                $0.explicitOrderBys = [OrderBy(field("a"))]
                $0.startAt = Bound([.integer(1), name], isInclusive: true)
            },
            Query(document: key("c/a")), Query(collectionGroup: "c"),
        ]
        for query in sound { try query.validate() }
    }

    @Test func `a negation of lists stands alone`() {
        let list = Value.array([.integer(1)])
        let one = Value.integer(1)
        expectRefused(query([compare(.isNotIn, list), compare(.isIn, list, "b")]))
        expectRefused(query([compare(.isNotIn, list), compare(.arrayContainsAny, list, "b")]))
        expectRefused(query([compare(.isNotIn, list), compare(.isNotIn, list, "b")]))
        expectRefused(query([compare(.isNotIn, list), compare(.notEqual, one, "b")]))
        expectRefused(query([compare(.notEqual, one), compare(.notEqual, one, "b")]))
        expectRefused(
            query([compare(.notEqual, one), .or([.and([compare(.notEqual, one, "b")])])]))
        let notNull = Filter.unary(UnaryFilter(field: field("b"), op: .isNotNull))
        expectRefused(query([compare(.notEqual, one), notNull]))
    }

    @Test func `lists must be lists and hold something`() {
        for op in [FieldFilter.Operator.isIn, .isNotIn, .arrayContainsAny] {
            expectRefused(query([compare(op, .array([]))]))
            expectRefused(query([compare(op, .integer(1))]))
            expectRefused(query([.or([compare(op, .array([]))])]))
        }
        expectRefused(query([.or([])]))
        expectRefused(query([.and([.or([])])]))
    }

    @Test func `the key is compared with documents' names`() {
        expectRefused(query([.field(.documentID, .arrayContains, name)]))
        expectRefused(query([.field(.documentID, .arrayContainsAny, .array([name]))]))
        expectRefused(query([.field(.documentID, .equal, .string("a"))]))
        expectRefused(query([.field(.documentID, .equal, reference("c"))]))
        expectRefused(query([.field(.documentID, .isIn, .array([name, .string("a")]))]))
        expectRefused(query([.or([.field(.documentID, .lessThan, .null)])]))
    }

    @Test func `a limit is positive, and one from the end needs a sort key`() {
        expectRefused(query([]) { $0.limit = .init(0) })
        expectRefused(query([]) { $0.limit = .init(-1) })
        expectRefused(query([]) { $0.limit = .init(1, .last) }, .unimplemented)
        expectRefused(
            query([compare(.lessThan, .integer(1))]) { $0.limit = .init(1, .last) }, .unimplemented)
    }

    @Test func `a cursor fits the sort keys`() {
        expectRefused(query([]) { $0.startAt = Bound([name, .integer(1)], isInclusive: true) })
        expectRefused(query([]) { $0.endAt = Bound([.integer(1)], isInclusive: true) })
        expectRefused(query([]) { $0.endAt = Bound([reference("c")], isInclusive: true) })
        let pending = Value.serverTimestamp(
            PendingServerTimestamp(
                localWriteTime: Timestamp(seconds: 0, nanoseconds: 0), previousValue: nil))
        expectRefused(
            query([]) {
                $0.explicitOrderBys = [OrderBy(field("a"))]
                $0.startAt = Bound([pending], isInclusive: true)
            })
    }

    @Test func `a path leads to a collection`() {
        expectRefused(Query(path: .root))
        var filtered = Query(document: key("c/a"))
        filtered.filters = [compare(.equal, .integer(1))]
        expectRefused(filtered)
    }
}
