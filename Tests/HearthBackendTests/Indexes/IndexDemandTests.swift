import HearthModel
import Testing

@testable import HearthBackend

/// Which queries production would not run without a declared index.
struct IndexDemandTests {
    private static func equal(_ field: String, _ value: Int64 = 1) -> Filter {
        .field(FieldPath([field]), .equal, .integer(value))
    }

    private static func above(_ field: String) -> Filter {
        .field(FieldPath([field]), .greaterThan, .integer(1))
    }

    private static func query(
        _ filters: [Filter] = [], by orderBys: [(String, OrderBy.Direction)] = [],
        isGroup: Bool = false
    ) -> StructuredQuery {
        var query = StructuredQuery(
            parent: .root, source: .init(collectionID: "c", allDescendants: isGroup))
        query.filter = filters.isEmpty ? nil : .and(filters)
        query.orderBys = orderBys.map { OrderBy(FieldPath([$0.0]), $0.1) }
        return query
    }

    private func refusal(
        _ query: StructuredQuery, _ catalog: IndexCatalog = IndexCatalog(),
        in database: DatabaseID = BackendSpec.database
    ) throws -> String? {
        let plan = try QueryPlan(query, in: database)
        do throws(HearthError) {
            try catalog.check(plan, in: database)
            return nil
        } catch {
            #expect(error.code == .failedPrecondition)
            return error.message
        }
    }

    private func catalog(_ text: String) throws -> IndexCatalog {
        try IndexCatalog(file: Array(text.utf8))
    }

    @Test(arguments: [
        query(), query([equal("a")]), query([equal("a"), equal("b"), equal("c")]),
        query([above("a")]), query(by: [("a", .ascending)]), query(by: [("a", .descending)]),
        query([above("a")], by: [("a", .descending)]),
        query([.field(FieldPath(["a"]), .isIn, .array([.integer(1), .integer(2)])), equal("b")]),
        query([.field(FieldPath(["a"]), .arrayContains, .integer(1))]),
        query([.field(FieldPath(["a"]), .arrayContains, .integer(1)), equal("b")]),
        query([.or([equal("a"), equal("b")])]),
        query([.unary(UnaryFilter(field: FieldPath(["a"]), op: .isNull))]),
        query([equal("a")], by: [("a", .descending)]),
        query([equal("a")], by: [("__name__", .descending)]),
        query(by: [("__name__", .ascending)]), query(isGroup: true),
        StructuredQuery(parent: .root, source: nil),
    ]) func `an automatic index serves`(query: StructuredQuery) throws {
        #expect(try refusal(query) == nil)
    }

    @Test(arguments: [
        query([equal("a")], by: [("b", .ascending)]), query([equal("a"), above("b")]),
        query(by: [("a", .ascending), ("b", .ascending)]), query([above("a"), above("b")]),
        query([.field(FieldPath(["a"]), .arrayContains, .integer(1))], by: [("b", .ascending)]),
        query(by: [("__name__", .descending)]),
        query(by: [("a", .ascending), ("__name__", .descending)]),
        query([.or([equal("a"), equal("b")])], by: [("z", .ascending)]),
        query([.or([equal("a"), above("b")])]),
        query([equal("a"), equal("b")], isGroup: true),
    ]) func `a composite index is demanded`(query: StructuredQuery) throws {
        let message = try #require(try refusal(query))
        #expect(message.hasPrefix("The query requires an index. You can create it here: https://"))
    }

    @Test func `the link holds the index that is missing`() throws {
        let query = Self.query([Self.equal("a")], by: [("b", .descending)])
        let message = try #require(try refusal(query))
        let link = try #require(message.split(separator: " ").last)
        #expect(
            link.hasPrefix(
                "https://console.firebase.google.com/v1/r/project/spec/firestore/indexes"
                    + "?create_composite="))
        let bytes = try #require(Base64.decode(String(link.split(separator: "=").last ?? "")))
        let name = "projects/spec/databases/(default)/collectionGroups/c/indexes/_"
        var expected: [UInt8] = [0x0A, UInt8(name.utf8.count)] + Array(name.utf8) + [0x10, 1]
        for (field, order) in [("a", UInt8(1)), ("b", 2), ("__name__", 2)] {
            let count = UInt8(field.utf8.count)
            expected += [0x1A, count + 4, 0x0A, count] + Array(field.utf8) + [0x10, order]
        }
        #expect(bytes == expected)
    }

    @Test func `a declared index serves what ends as it does, either way before that`() throws {
        let catalog = try catalog(
            """
            {"indexes": [
              {"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [
                {"fieldPath": "a", "order": "DESCENDING"}, {"fieldPath": "z", "order": "ASCENDING"}]},
              {"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [
                {"fieldPath": "b", "order": "ASCENDING"}, {"fieldPath": "z", "order": "ASCENDING"}]},
              {"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [
                {"fieldPath": "tags", "arrayConfig": "CONTAINS"},
                {"fieldPath": "z", "order": "DESCENDING"}]},
              {"collectionGroup": "d", "queryScope": "COLLECTION", "fields": [
                {"fieldPath": "x", "order": "ASCENDING"}, {"fieldPath": "z", "order": "ASCENDING"}]}
            ]}
            """)
        #expect(
            try refusal(Self.query([Self.equal("a")], by: [("z", .ascending)]), catalog) == nil)
        // Two that end alike serve together.
        let both = Self.query([Self.equal("b"), Self.equal("a")], by: [("z", .ascending)])
        #expect(try refusal(both, catalog) == nil)
        let tagged = Self.query(
            [.field(FieldPath(["tags"]), .arrayContainsAny, .array([.integer(1)]))],
            by: [("z", .descending)])
        #expect(try refusal(tagged, catalog) == nil)
        // No index is read backwards, none serves another collection, none leaves a field out.
        for query in [
            Self.query([Self.equal("a")], by: [("z", .descending)]),
            Self.query([Self.equal("x")], by: [("z", .ascending)]),
            Self.query([Self.equal("a"), Self.equal("q")], by: [("z", .ascending)]),
            Self.query([Self.equal("a")], by: [("z", .ascending)], isGroup: true),
        ] { #expect(try refusal(query, catalog) != nil, "\(query)") }
    }

    @Test func `a group needs a single-field index of its own scope`() throws {
        let query = Self.query(by: [("a", .descending)], isGroup: true)
        let message = try #require(try refusal(query))
        #expect(
            message.hasPrefix(
                "The query requires a COLLECTION_GROUP_DESC index for collection c and field a. "
                    + "You can create it here: https://"))
        let catalog = try catalog(
            """
            {"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "a", "indexes": [
              {"order": "DESCENDING", "queryScope": "COLLECTION_GROUP"}]}]}
            """)
        #expect(try refusal(query, catalog) == nil)
        // What the exemption does not name is gone.
        #expect(try refusal(Self.query([Self.equal("a")]), catalog) != nil)
        #expect(try refusal(Self.query([Self.equal("b")]), catalog) == nil)
    }

    @Test func `an exemption counts for what lies below its field`() throws {
        let catalog = try catalog(
            """
            {"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "m", "indexes": []},
              {"collectionGroup": "c", "fieldPath": "m.on", "indexes": [{"order": "ASCENDING"}]}]}
            """)
        func asks(_ path: FieldPath) throws -> String? {
            var query = Self.query()
            query.filter = .field(path, .equal, .integer(1))
            return try refusal(query, catalog)
        }
        #expect(try asks(FieldPath(["m", "off"])) != nil)
        #expect(try asks(FieldPath(["m", "on"])) == nil)
    }

    @Test func `nearest neighbours need an index of vectors of their length`() throws {
        let nearest = try NearestNeighbours(
            field: FieldPath(["v"]), vector: .vector([1, 2, 3]), measure: .euclidean, limit: 5,
            resultField: nil, threshold: nil)
        let plan = try QueryPlan(
            Self.query([Self.equal("a")]), in: BackendSpec.database)
        let error = #expect(throws: HearthError.self) {
            try IndexCatalog().check(plan, nearest: nearest, in: BackendSpec.database)
        }
        #expect(error?.message.hasPrefix("Missing vector index configuration.") ?? false)
        #expect(error?.message.contains(#""dimension":"3""#) ?? false)
        let catalog = try catalog(
            """
            {"indexes": [{"collectionGroup": "c", "fields": [
              {"fieldPath": "a", "order": "ASCENDING"},
              {"fieldPath": "v", "vectorConfig": {"dimension": 3, "flat": {}}}]}]}
            """)
        try catalog.check(plan, nearest: nearest, in: BackendSpec.database)
    }

    @Test func `a read and a target are refused, the stream lives on`() throws {
        var settings = BackendSettings()
        settings.indexes = IndexCatalog()
        var spec = BackendSpec(settings)
        let query = Self.query([Self.equal("a")], by: [("b", .ascending)])
        let error = #expect(throws: HearthError.self) {
            try spec.backend.read(
                .query(QueryPlan(query, in: BackendSpec.database)), in: BackendSpec.database,
                .latest, at: spec.now)
        }
        #expect(error?.code == .failedPrecondition)
        #expect(
            try spec.listen(2, .query(query)) == [
                .added([2]), .removed([2], .failedPrecondition),
            ])
        #expect(
            try spec.listen(4, .query(.all("c"))) == [.added([4]), .current([4]), .snapshot])
    }

    @Test(arguments: [
        "[]", "{", #"{"indexes": 3}"#, #"{"indexes": [{"fields": []}]}"#,
        #"{"indexes": [{"collectionGroup": "c", "fields": [{"fieldPath": "a"}]}]}"#,
        #"{"indexes": [{"collectionGroup": "c", "queryScope": "X", "fields": []}]}"#,
        #"{"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "a..b"}]}"#,
    ]) func `a wrong file is refused, saying where`(text: String) throws {
        let error = #expect(throws: HearthError.self) { try catalog(text) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("file of indexes") ?? false)
    }
}
