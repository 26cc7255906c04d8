import HearthModel
import Testing

struct QueryTests {
    private func query(_ change: (inout Query) -> Void = { _ in }) -> Query {
        var query = Query(path: path("rooms"))
        change(&query)
        return query
    }

    private func compare(_ name: String, _ op: FieldFilter.Operator) -> Filter {
        .field(field(name), op, .integer(1))
    }

    @Test func `the key is always the last sort key`() {
        #expect(query().orderBys == [OrderBy(.documentID)])
        let byName = query { $0.explicitOrderBys = [OrderBy(field("name"), .descending)] }
        #expect(
            byName.orderBys
                == [OrderBy(field("name"), .descending), OrderBy(.documentID, .descending)])
        let byKey = query { $0.explicitOrderBys = [OrderBy(.documentID, .descending)] }
        #expect(byKey.orderBys == [OrderBy(.documentID, .descending)])
    }

    @Test func `inequality fields are sort keys, in their order, with the last direction`() {
        let mixed = query {
            $0.filters = [
                compare("z", .lessThan), compare("b", .equal), .or([compare("a", .notEqual)]),
                compare("m", .isNotIn), compare("z", .greaterThan),
                .field(.documentID, .greaterThan, reference("rooms/a")),
            ]
            $0.explicitOrderBys = [OrderBy(field("k")), OrderBy(field("m"), .descending)]
        }
        #expect(mixed.inequalityFields == ["__name__", "a", "m", "z"].map { FieldPath([$0]) })
        #expect(
            mixed.orderBys
                == [
                    OrderBy(field("k")), OrderBy(field("m"), .descending),
                    OrderBy(field("a"), .descending), OrderBy(field("z"), .descending),
                    OrderBy(.documentID, .descending),
                ])
        #expect(query { $0.filters = [compare("a", .isIn)] }.orderBys == [OrderBy(.documentID)])
    }

    @Test func `the sort keys follow every change of filters and order`() {
        var changing = query()
        changing.filters.append(compare("a", .greaterThan))
        #expect(changing.orderBys == [OrderBy(field("a")), OrderBy(.documentID)])
        changing.explicitOrderBys = [OrderBy(field("b"), .descending)]
        #expect(changing.orderBys.map(\.field) == ["b", "a", "__name__"].map { FieldPath([$0]) })
        changing.filters = []
        #expect(changing.orderBys.count == 2)
        #expect(changing == query { $0.explicitOrderBys = [OrderBy(field("b"), .descending)] })
    }

    @Test func `nothing after the key orders results`() {
        let odd = query {
            $0.explicitOrderBys = [OrderBy(.documentID)]
            $0.filters = [compare("a", .greaterThan)]
        }
        #expect(odd.orderBys.count == 2)
        #expect(odd.order == .byKey)
    }

    @Test func `an even path asks for a document, unless filtered`() {
        #expect(Query(document: key("rooms/hall")).documentKey == key("rooms/hall"))
        #expect(query().documentKey == nil)
        #expect(Query(collectionGroup: "rooms", below: path("a/b")).documentKey == nil)
        var filtered = Query(document: key("rooms/hall"))
        filtered.filters = [compare("a", .equal)]
        #expect(filtered.documentKey == nil)
    }

    @Test func `a query matches all documents if nothing narrows or sorts it`() {
        #expect(query().matchesAllDocuments)
        #expect(query { $0.explicitOrderBys = [OrderBy(.documentID)] }.matchesAllDocuments)
        #expect(!query { $0.explicitOrderBys = [OrderBy(field("a"))] }.matchesAllDocuments)
        #expect(!query { $0.filters = [compare("a", .equal)] }.matchesAllDocuments)
        #expect(!query { $0.limit = .init(1) }.matchesAllDocuments)
        #expect(!query { $0.startAt = Bound([], isInclusive: true) }.matchesAllDocuments)
        #expect(!query { $0.endAt = Bound([], isInclusive: true) }.matchesAllDocuments)
    }

    @Test func `a limit can be taken away`() {
        let limited = query { $0.limit = .init(3, .last) }
        #expect(limited.withoutLimit == query())
    }

    @Test func `mirror queries share a target and are two queries`() {
        let start = Bound([.integer(1)], isInclusive: true)
        let end = Bound([.integer(9)], isInclusive: false)
        let first = query {
            $0.explicitOrderBys = [OrderBy(field("a"))]
            $0.limit = .init(2)
            ($0.startAt, $0.endAt) = (start, end)
        }
        let last = query {
            $0.explicitOrderBys = [OrderBy(field("a"), .descending)]
            $0.limit = .init(2, .last)
            ($0.startAt, $0.endAt) = (end, start)
        }
        #expect(first != last)
        #expect(first.target == last.target)
        #expect(first.target.canonicalID == last.target.canonicalID)
        #expect(first.canonicalID != last.canonicalID)
    }

    @Test func `an aggregate keeps only the user's sort keys`() {
        let filtered = query {
            $0.filters = [compare("a", .greaterThan)]
            $0.limit = .init(5)
        }
        #expect(filtered.aggregateTarget.orderBys.isEmpty)
        #expect(filtered.aggregateTarget.limit == 5)
        #expect(filtered.target.orderBys.count == 2)
    }
}
