import HearthModel
import Testing

struct QueryWordsTests {
    private func words(
        _ query: Query = Query(path: path("rooms")), _ change: (inout Query) -> Void
    ) -> String {
        var query = query
        change(&query)
        return query.words
    }

    private func words(_ value: Value) -> String {
        words { $0.filters = [.field(field("a"), .equal, value)] }
    }

    @Test func `a collection, a document and a group are their paths`() {
        #expect(Query(path: path("rooms")).words == "rooms")
        #expect(Query(document: key("rooms/hall")).words == "rooms/hall")
        let seats: PathSegment = "seats"
        #expect(Query(collectionGroup: seats).words == "**/seats")
        let below = Query(collectionGroup: seats, below: path("rooms/hall"))
        #expect(below.words == "rooms/hall/**/seats")
    }

    @Test func `conditions, order, bounds and limit follow in words`() {
        #expect(
            words {
                $0.filters = [.field(field("n"), .lessThan, .integer(50))]
                $0.explicitOrderBys = [OrderBy(field("n"))]
                $0.limit = .init(10)
            } == "rooms where n < 50 order by n limit 10")
        #expect(
            words {
                $0.explicitOrderBys = [OrderBy(field("n"), .descending), OrderBy(field("m"))]
                $0.startAt = Bound([.integer(3), .string("a")], isInclusive: true)
                $0.endAt = Bound([.integer(1)], isInclusive: false)
                $0.limit = .init(2, .last)
            } == "rooms order by n desc, m start at 3, \"a\" end before 1 limit to last 2")
        #expect(
            words {
                $0.explicitOrderBys = [OrderBy(field("n"))]
                $0.startAt = Bound([.integer(3)], isInclusive: false)
                $0.endAt = Bound([.integer(9)], isInclusive: true)
            } == "rooms order by n start after 3 end at 9")
    }

    @Test func `alternatives stand in brackets, and tests for null are comparisons`() {
        let (a, b) = (
            Filter.field(field("a"), .equal, .integer(1)),
            Filter.unary(UnaryFilter(field: field("b"), op: .isNotNull))
        )
        #expect(words { $0.filters = [.or([a, b])] }.contains(" where (a == 1 or b != null)"))
        #expect(
            words { $0.filters = [.or([a, .and([a, b])])] }.contains(
                " where (a == 1 or (a == 1 and b != null))"))
        #expect(words { $0.filters = [.and([a, a])] } == "rooms where a == 1 and a == 1")
    }

    @Test func `sort keys that follow from the others change no word`() {
        let plain = words { $0.filters = [.field(field("n"), .lessThan, .integer(1))] }
        #expect(plain == "rooms where n < 1 order by n")
        #expect(
            words {
                $0.filters = [.field(field("n"), .lessThan, .integer(1))]
                $0.explicitOrderBys = [OrderBy(field("n")), OrderBy(.documentID)]
            } == plain)
        #expect(
            words { $0.explicitOrderBys = [OrderBy(.documentID, .descending)] }
                == "rooms order by __name__ desc")
        #expect(
            words {
                $0.explicitOrderBys = [OrderBy(field("n")), OrderBy(.documentID, .descending)]
            } == "rooms order by n, __name__ desc")
    }

    @Test func `values are written as on the command line`() {
        #expect(words(.null) == "rooms where a == null")
        #expect(words(.boolean(true)) == "rooms where a == true")
        #expect(words(.double(2)) == "rooms where a == 2.0")
        #expect(words(.double(.nan)) == "rooms where a == NaN")
        #expect(words(.double(-.infinity)) == "rooms where a == -Infinity")
        #expect(words(.string("say \"\\\"")) == #"rooms where a == "say \"\\\"""#)
        #expect(words(.bytes([1, 2])) == "rooms where a == bytes(AQI=)")
        #expect(words(reference("rooms/hall")) == "rooms where a == ref(rooms/hall)")
        #expect(
            words(.geoPoint(GeoPoint(latitude: 1, longitude: -2)))
                == "rooms where a == geo(1.0, -2.0)")
        #expect(
            words(.timestamp(Timestamp(seconds: 0, nanoseconds: 0)))
                == "rooms where a == timestamp(1970-01-01T00:00:00Z)")
        #expect(
            words(.array([.integer(1), map(["k": .string("v")])]))
                == #"rooms where a == [1, {"k": "v"}]"#)
    }

    @Test func `the words are one line, whatever the names and values are`() {
        let hostile = words(Query(path: ResourcePath(["a\nb"]))) {
            $0.filters = [.field(FieldPath(["c\u{1b}[31m"]), .equal, .string("d\r\ne"))]
        }
        #expect(hostile == #"a\nb where `c\u001b[31m` == "d\r\ne""#)
    }
}
