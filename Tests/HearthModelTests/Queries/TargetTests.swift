import HearthModel
import Testing

struct TargetTests {
    private let a1 = Filter.field(field("a"), .equal, .integer(1))
    private let b2 = Filter.field(field("b"), .equal, .integer(2))
    private let c3 = Filter.field(field("c"), .greaterThan, .integer(3))

    private func target(_ filters: [Filter]) -> Target {
        Target(path: path("c"), filters: filters)
    }

    @Test func `a canonical id names path, group, filters, order, limit and bounds`() {
        #expect(target([]).canonicalID == "c|f:|ob:__name__asc")
        let full = Target(
            path: path("a/b"), collectionGroup: "c", filters: [a1, .or([b2, c3])],
            orderBys: [OrderBy(field("x"), .descending), OrderBy(.documentID)], limit: 5,
            startAt: Bound([.integer(1), .string("s")], isInclusive: true),
            endAt: Bound([.integer(9)], isInclusive: true))
        #expect(
            full.canonicalID
                == "a/b|cg:c|f:a==1,or(b==2,c>3)|ob:xdesc,__name__asc|l:5|lb:b:1,s|ub:a:9")
        let open = Target(
            path: path("c"), startAt: Bound([.null], isInclusive: false),
            endAt: Bound([.null], isInclusive: false))
        #expect(open.canonicalID == "c|f:|ob:__name__asc|lb:a:null|ub:b:null")
    }

    @Test func `a flat and reads like its filters one by one`() {
        #expect(target([.and([a1, b2])]).canonicalID == target([a1, b2]).canonicalID)
        #expect(target([.and([a1, b2])]) == target([a1, b2]))
        #expect(target([.or([a1, b2])]).canonicalID != target([a1, b2]).canonicalID)
    }

    @Test func `filters have one form, whichever way they were nested`() {
        #expect(target([.and([.and([a1]), .or([.and([b2])])]), c3]) == target([a1, b2, c3]))
        #expect(target([.or([a1, .and([b2])])]) == target([.or([a1, b2])]))
        let isNull = Filter.unary(UnaryFilter(field: field("a"), op: .isNull))
        #expect(
            target([.or([isNull, b2])]) == target([.or([.field(field("a"), .equal, .null), b2])]))
        #expect(target([.or([.and([b2, c3]), a1])]).filters == [.or([.and([b2, c3]), a1])])
        #expect(target([.and([])]) == target([]))
        #expect(target([a1, b2]) != target([b2, a1]))
    }

    @Test func `every kind of value has a short text`() {
        let values: [(Value, String)] = [
            (.null, "null"), (.boolean(true), "true"), (.integer(-1), "-1"), (.double(1.5), "1.5"),
            (.timestamp(Timestamp(seconds: 1, nanoseconds: 2)), "time(1,2)"), (.string("s"), "s"),
            (.bytes([1, 255]), "1.ff"), (reference("c/a"), "c/a"),
            (.geoPoint(GeoPoint(latitude: 1, longitude: 2)), "geo(1.0,2.0)"),
            (.array([.integer(1), .null]), "[1,null]"),
            (map(["b": .integer(1), "a": .null]), "{a:null,b:1}"),
        ]
        for (value, text) in values { #expect(value.canonicalID == text) }
        let pending = PendingServerTimestamp(
            localWriteTime: Timestamp(seconds: 0, nanoseconds: 0), previousValue: nil)
        #expect(Value.serverTimestamp(pending).canonicalID == "pending(1970-01-01T00:00:00Z)")
    }

    @Test func `a document's target is its key alone`() {
        #expect(Query(document: key("c/a")).target.documentKey == key("c/a"))
        #expect(target([]).documentKey == nil)
        #expect(Target(path: path("c/a"), collectionGroup: "x").documentKey == nil)
        #expect(Target(path: path("c/a"), filters: [a1]).documentKey == nil)
    }
}
