import HearthModel
import HearthProtocol
import SwiftProtobuf
import Testing

struct FirestoreCodecQueriesTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a random query survives the wire`(seed: UInt64) throws {
        var random = Seeded(seed)
        let query = random.structuredQuery()
        let bytes = FirestoreCodec.bytes(of: try Samples.wire.encode(query))
        let proto = try FirestoreCodec.read(ProtoStructuredQuery.self, from: bytes)
        #expect(try Samples.wire.decode(proto, parent: query.parent) == query)
    }

    @Test func `a query that Google's library wrote is read, and written the same`() throws {
        let size = FieldPath(["size"])
        var query = StructuredQuery(
            parent: .root, source: .init(collectionID: "rooms", allDescendants: true))
        query.projection = [FieldPath(["a", "b c"])]
        query.filter = .or([
            .field(size, .greaterThanOrEqual, .integer(3)),
            .unary(UnaryFilter(field: FieldPath(["x"]), op: .isNotNull)),
            .field(FieldPath(["tags"]), .arrayContainsAny, .array([.string("t")])),
        ])
        query.orderBys = [OrderBy(size, .descending), OrderBy(.documentID)]
        query.startAt = Bound([.integer(9)], isInclusive: true)
        let hall = DocumentName(database: Samples.database, key: try Samples.key("rooms/hall"))
        query.endAt = Bound([.integer(3), .reference(hall)], isInclusive: false)
        query.offset = 2
        query.limit = 7
        let proto = try FirestoreCodec.read(ProtoStructuredQuery.self, from: GoldenBytes.query)
        #expect(try Samples.wire.decode(proto, parent: .root) == query)
        #expect(FirestoreCodec.bytes(of: try Samples.wire.encode(query)) == GoldenBytes.query)
    }

    @Test func `an order without a direction ascends`() throws {
        var proto = ProtoStructuredQuery()
        proto.orderBy = [.init()]
        proto.orderBy[0].field.fieldPath = "a"
        let query = try Samples.wire.decode(proto, parent: .root)
        #expect(query.orderBys == [OrderBy(FieldPath(["a"]), .ascending)])
    }

    @Test func `a selection of nothing selects everything`() throws {
        var proto = ProtoStructuredQuery()
        proto.select = .init()
        #expect(try Samples.wire.decode(proto, parent: .root).projection == nil)
    }

    @Test func `what a query cannot hold is refused with its place`() throws {
        func refusal(_ change: (inout ProtoStructuredQuery) -> Void) -> CodecError? {
            var proto = ProtoStructuredQuery()
            change(&proto)
            return #expect(throws: CodecError.self) {
                try Samples.wire.decode(proto, parent: .root)
            }
        }
        #expect(refusal { $0.from = [.init(), .init()] }?.place == ["from"])
        #expect(refusal { $0.findNearest = .init() }?.place == ["find_nearest"])
        #expect(refusal { $0.offset = -1 }?.place == ["offset"])
        #expect(refusal { $0.limit = .init(-1) }?.place == ["limit"])
        #expect(refusal { $0.where = .init() }?.place == ["where", "filter_type"])
        #expect(
            refusal {
                $0.where.fieldFilter.field.fieldPath = "a"
                $0.where.fieldFilter.value.booleanValue = true
            }?.place == ["where", "op"])
        #expect(
            refusal { $0.where.compositeFilter.filters = [.init()] }?.place
                == ["where", "filters[0]", "filter_type"])
        #expect(
            refusal { $0.startAt.values = [.init()] }?.place
                == ["start_at", "values[0]", "value_type"])
    }

    @Test func `an aggregation that Google's library wrote is read, and written the same`() throws {
        let query = StructuredQuery(parent: .root, source: .init(collectionID: "rooms"))
        let aggregations = [
            Aggregation(alias: "a", operation: .count(upTo: 10)),
            Aggregation(alias: "b", operation: .sum(FieldPath(["n"]))),
            Aggregation(alias: "c", operation: .average(FieldPath(["n"]))),
        ]
        let proto = try FirestoreCodec.read(
            ProtoStructuredAggregationQuery.self, from: GoldenBytes.aggregate)
        let read = try Samples.wire.decode(proto, parent: .root)
        #expect(read.query == query)
        #expect(read.aggregations == aggregations)
        let written = try Samples.wire.encode(aggregations, over: query)
        #expect(FirestoreCodec.bytes(of: written) == GoldenBytes.aggregate)
    }

    @Test func `the numbers of an aggregation survive the wire`() throws {
        let numbers: MapValue = ["a": .integer(3), "b": .double(1.5), "c": .null]
        let proto = try Samples.wire.encode(aggregates: numbers)
        #expect(try Samples.wire.decode(proto) == numbers)
    }
}

extension Seeded {
    mutating func filter(depth: Int = 0) -> Filter {
        switch int(0...(depth < 3 ? 3 : 1)) {
        case 0: .field(field(), pick(FieldFilter.Operator.allCases), value(depth: 3))
        case 1: .unary(UnaryFilter(field: field(), op: pick([.isNaN, .isNull, .isNotNull])))
        case 2: .and(many(0...3) { $0.filter(depth: depth + 1) })
        default: .or(many(0...3) { $0.filter(depth: depth + 1) })
        }
    }

    mutating func bound() -> Bound {
        Bound(many(0...2) { $0.value(depth: 3) }, isInclusive: flag())
    }

    mutating func structuredQuery() -> StructuredQuery {
        var query = StructuredQuery(
            parent: flag() ? .root : key().path,
            source: maybe {
                .init(collectionID: $0.maybe { $0.segment() }, allDescendants: $0.flag())
            })
        query.filter = maybe { $0.filter() }
        query.orderBys = many(0...3) {
            OrderBy($0.field(), $0.flag() ? .ascending : .descending)
        }
        query.startAt = maybe { $0.bound() }
        query.endAt = maybe { $0.bound() }
        query.offset = flag() ? 0 : int(1...9)
        query.limit = maybe { $0.int(0...9) }
        query.projection = maybe { $0.many(1...2) { $0.field() } }
        return query
    }
}
