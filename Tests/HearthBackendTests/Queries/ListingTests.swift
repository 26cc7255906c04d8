import HearthModel
import Testing

@testable import HearthBackend

/// Lists and cuts of collections need the indexes that the same query would need.
struct ListingTests {
    private static func spec(_ indexes: String) throws -> BackendSpec {
        var settings = BackendSettings()
        settings.indexes = try IndexCatalog(file: Array(indexes.utf8))
        var spec = BackendSpec(settings)
        for number in 0..<200 {
            try spec.put(
                "c/\(1_000 + number)",
                ["a": .integer(Int64(number % 3)), "b": .integer(Int64(-number))])
        }
        return spec
    }

    private func list(_ spec: inout BackendSpec, _ orderBys: OrderBy...) throws -> [String] {
        let plan = try QueryPlan(
            listing: .root, collectionID: "c", orderBys: orderBys, limit: 2,
            in: BackendSpec.database)
        let view = try spec.backend.read(
            .query(plan), in: BackendSpec.database, .latest, at: spec.now)
        return try view.list(plan, showMissing: false).map(\.key.documentID)
    }

    private let a = OrderBy(FieldPath(["a"]))
    private let b = OrderBy(FieldPath(["b"]))

    @Test func `a list in an order of its own needs the index of that order`() throws {
        var spec = try Self.spec("{}")
        #expect(try list(&spec).count == 200)
        #expect(try list(&spec, b).first == "1199")
        #expect(try list(&spec, OrderBy(b.field, .descending)).first == "1000")
        let error = #expect(throws: HearthError.self) { try list(&spec, a, b) }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.hasPrefix("The query requires an index.") ?? false)
        var declared = try Self.spec(
            """
            {"indexes": [{"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [
              {"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}]}
            """)
        #expect(try list(&declared, a, b).prefix(2) == ["1198", "1195"])
        // An exemption takes the automatic index away, from lists too.
        var exempt = try Self.spec(
            """
            {"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "b", "indexes": []}]}
            """)
        #expect(throws: HearthError.self) { try list(&exempt, b) }
        #expect(try list(&exempt).count == 200)
    }

    @Test func `an order and missing documents do not go together`() throws {
        var spec = try Self.spec("{}")
        let plan = try QueryPlan(
            listing: .root, collectionID: "c", orderBys: [b], in: BackendSpec.database)
        #expect(throws: HearthError.argument("cannot specify an order when show_missing is true")) {
            try spec.view().list(plan, showMissing: true)
        }
        #expect(throws: HearthError.self) {
            try QueryPlan(
                listing: ResourcePath(["c"]), collectionID: "d", in: BackendSpec.database)
        }
    }

    @Test func `a group is cut by name without an index, and in no other order`() throws {
        var spec = try Self.spec("{}")
        var query = StructuredQuery(
            parent: .root, source: .init(collectionID: "c", allDescendants: true))
        let plan = try QueryPlan(query, in: BackendSpec.database)
        let view = try spec.backend.read(
            .query(plan), in: BackendSpec.database, .latest, at: spec.now)
        let cuts = try view.partition(plan, into: 2).map(\.documentID)
        #expect(cuts == ["1066", "1133"])
        query.orderBys = [b]
        let other = try QueryPlan(query, in: BackendSpec.database)
        #expect(throws: HearthError.self) { try other.checkPartition(into: 2) }
        #expect(throws: HearthError.self) { try plan.checkPartition(into: 0) }
    }
}
