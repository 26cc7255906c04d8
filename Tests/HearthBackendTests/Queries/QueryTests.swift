import HearthModel
import Testing

@testable import HearthBackend

struct QueryTests {
    private let v = FieldPath(["v"])

    private func specWithValues() throws -> BackendSpec {
        var spec = BackendSpec()
        let values: [(String, Value)] = [
            ("null", .null), ("false", .boolean(false)), ("nan", .double(.nan)),
            ("i1", .integer(1)), ("d1", .double(1)), ("i2", .integer(2)), ("sa", .string("a")),
            ("arr", .array([.integer(1), .integer(2)])), ("map", .map(["a": .integer(1)])),
        ]
        for (id, value) in values { try spec.put("c/\(id)", ["v": value]) }
        try spec.put("c/none", ["w": .integer(1)])
        return spec
    }

    @Test func `results sort by value then name, without documents that lack the field`() throws {
        var spec = try specWithValues()
        #expect(
            try spec.ids(.all("c").ordered(by: "v")) == [
                "null", "false", "nan", "d1", "i1", "i2", "sa", "arr", "map",
            ])
    }

    @Test func `comparisons follow the backend's equality`() throws {
        var spec = try specWithValues()
        let cases: [(FieldFilter.Operator, Value, [String])] = [
            (.equal, .integer(1), ["d1", "i1"]), (.equal, .null, []), (.equal, .double(.nan), []),
            (.isIn, .array([.integer(1), .string("a"), .null]), ["d1", "i1", "sa"]),
            (.isNotIn, .array([.integer(1), .null]), []),
            (.lessThan, .integer(2), ["d1", "i1"]), (.lessThanOrEqual, .null, []),
            (.arrayContains, .double(2), ["arr"]),
            (.notEqual, .integer(1), ["false", "nan", "i2", "sa", "arr", "map"]),
        ]
        for (op, value, expected) in cases {
            #expect(
                try spec.ids(.all("c").filtered(.field(v, op, value))) == expected,
                "\(op) \(value)")
        }
    }

    @Test func `queries that production refuses are refused in its words`() throws {
        var spec = BackendSpec()
        let w = FieldPath(["w"])
        let name = Value.reference(
            DocumentName(database: BackendSpec.database, key: key("c/a")))
        let foreign = Value.reference(
            DocumentName(database: DatabaseID(project: "other"), key: key("c/a")))
        let collection = Value.reference(
            DocumentName(database: BackendSpec.database, path: ResourcePath(["c"])))
        func list(_ count: Int) -> Value { .array((0..<count).map { .integer(Int64($0)) }) }
        let cases: [(Filter, String)] = [
            (.field(v, .isIn, .array([])), "'IN' requires an non-empty ArrayValue."),
            (.field(v, .isIn, .integer(1)), "'IN' requires an ArrayValue."),
            (.field(v, .isIn, list(31)), "'IN' supports up to 30 comparison values."),
            (.field(v, .isNotIn, list(11)), "'NOT_IN' supports up to 10 comparison values."),
            (
                .field(.documentID, .greaterThan, .string("x")),
                "__key__ filter value must be a Key"
            ),
            (
                .and([.field(v, .arrayContains, .null), .field(w, .arrayContains, .null)]),
                "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."
            ),
            (
                .and([.field(v, .isIn, list(6)), .field(w, .isIn, list(6))]),
                "Too many disjunctions after normalization. Result had 36 disjunctions which is "
                    + "more than the maximum of 30"
            ),
            (
                .and([.field(v, .notEqual, .null), .field(v, .isNotIn, list(1))]),
                "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter "
                    + "allowed per query."
            ),
            (.field(v, .isIn, .array([.vector([])])), "Cannot have a zero length vector."),
            (
                .and([.field(.documentID, .equal, name), .field(v, .lessThan, .integer(1))]),
                "Equality on key is not allowed if there are other inequality fields and key does "
                    + "not appear in inequalities."
            ),
            (
                .or([.field(v, .equal, .null), .field(v, .isNotIn, list(1))]),
                "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or "
                    + "'OR'."
            ),
            (
                .or([.field(v, .isNotIn, list(1))]),
                "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or "
                    + "'OR'."
            ),
            (.or([]), "Composite filter must have at least one sub-filter."),
            (
                .field(FieldPath(["__v__"]), .equal, .null),
                "Invalid reserved name in field path __v__"
            ),
            (
                .field(.documentID, .equal, foreign),
                "The request was for database 'projects/spec/databases/(default)' but was "
                    + "attempting to access database 'projects/other/databases/(default)'"
            ),
            (
                .field(v, .equal, collection),
                "Resource name \"projects/spec/databases/(default)/documents/c\" lacks \"/\" at "
                    + "index 45."
            ),
        ]
        for (filter, message) in cases {
            #expect(throws: HearthError(code: .invalidArgument, message: message)) {
                try spec.ids(.all("c").filtered(filter))
            }
        }
    }

    @Test func `nothing is ordered by after the key`() throws {
        var spec = BackendSpec()
        var query = StructuredQuery.all("c")
        query.orderBys = [OrderBy(.documentID), OrderBy(v)]
        let message = "order by clause cannot contain more fields after the key"
        #expect(throws: HearthError(code: .invalidArgument, message: message)) {
            try spec.ids(query)
        }
        query.orderBys.reverse()
        #expect(try spec.ids(query) == [])
    }

    @Test func `an inequality whose field comes behind the key is refused`() throws {
        var spec = BackendSpec()
        var query = StructuredQuery.all("c").filtered(.field(v, .notEqual, .integer(1)))
        query.orderBys = [OrderBy(FieldPath(["w"])), OrderBy(.documentID)]
        let message = "order by clause cannot contain more fields after the key"
        #expect(throws: HearthError(code: .invalidArgument, message: message)) {
            try spec.ids(query)
        }
        query.orderBys[0] = OrderBy(v)
        #expect(try spec.ids(query) == [])
    }

    @Test func `reserved names are neither ordered by nor selected`() throws {
        var spec = BackendSpec()
        let message = "Invalid reserved name in field path a.__b__"
        let field = FieldPath(["a", "__b__"])
        var selecting = StructuredQuery.all("c")
        selecting.projection = [.documentID, field]
        var ordering = StructuredQuery.all("c")
        ordering.orderBys = [OrderBy(field)]
        for query in [selecting, ordering] {
            #expect(throws: HearthError(code: .invalidArgument, message: message)) {
                try spec.ids(query)
            }
        }
    }

    @Test func `a field is ordered by once`() throws {
        var spec = BackendSpec()
        var query = StructuredQuery.all("c")
        query.orderBys = [OrderBy(v), OrderBy(v, .descending)]
        let message = "order by clause cannot contain duplicate fields v"
        #expect(throws: HearthError(code: .invalidArgument, message: message)) {
            try spec.ids(query)
        }
    }

    @Test func `cursors, offset and limit cut in that order`() throws {
        var spec = BackendSpec()
        for number in 1...6 { try spec.put("c/\(number)", ["v": .integer(Int64(number))]) }
        var query = StructuredQuery.all("c").ordered(by: "v").limited(to: 2)
        query.startAt = Bound([.integer(2)], isInclusive: false)
        query.endAt = Bound([.integer(6)], isInclusive: true)
        query.offset = 1
        #expect(try spec.ids(query) == ["4", "5"])
        query.startAt = Bound([.integer(2), .null], isInclusive: true)
        #expect(
            throws: HearthError(
                code: .invalidArgument, message: "Cursor has too many values.")
        ) { try spec.ids(query) }
    }

    @Test func `a read time shows the past`() throws {
        var spec = BackendSpec()
        let first = try spec.put("c/a", ["v": .integer(1)]).version
        try spec.put("c/a", ["v": .integer(2)])
        try spec.delete("c/a")
        let view = try spec.view(.readTime(first.timestamp))
        #expect(view.document(key("c/a")).fields == ["v": .integer(1)])
        #expect(try spec.get("c/a").isMissing)
        #expect(throws: HearthError.self) {
            try spec.view(.readTime(spec.now.advanced(by: .seconds(10))))
        }
        let error = #expect(throws: HearthError.self) {
            try spec.view(.readTime(spec.now.advanced(by: .seconds(-7_200))))
        }
        #expect(error?.code == .failedPrecondition)
    }

    @Test func `history that nobody may ask for is forgotten`() throws {
        var settings = BackendSettings()
        settings.historyCommitCountMax = 3
        var spec = BackendSpec(settings)
        for number in 0..<20 { try spec.put("c/a", ["v": .integer(Int64(number))]) }
        for number in 0..<20 {
            try spec.put("c/\(number)", [:])
            try spec.delete("c/\(number)")
        }
        #expect(spec.backend.documents(of: BackendSpec.database).recordCount <= 4)
    }

    @Test func `large versions are forgotten before there are many`() throws {
        var settings = BackendSettings()
        settings.historyByteCountMax = 10_000
        var spec = BackendSpec(settings)
        let large = Value.string(String(repeating: "a", count: 3_000))
        let first = try spec.put("c/a", ["v": large]).version
        for number in 0..<5 { try spec.put("c/a", ["n": .integer(Int64(number)), "v": large]) }
        #expect(spec.backend.historyStart(of: BackendSpec.database) > first)
        try spec.put("c/b", [:])
        #expect(try spec.get("c/a").fields["n"] == .integer(4))
    }

    @Test func `aggregations count only documents that have every field`() throws {
        var spec = BackendSpec()
        try spec.put("c/1", ["v": .integer(1)])
        try spec.put("c/2", ["v": .double(2)])
        try spec.put("c/3", ["w": .integer(1)])
        let plan = try AggregationPlan(
            [
                Aggregation(alias: "n", operation: .count(upTo: nil)),
                Aggregation(alias: "", operation: .sum(v)),
                Aggregation(alias: "", operation: .average(v)),
            ], over: QueryPlan(.all("c"), in: BackendSpec.database))
        #expect(
            try spec.view().run(plan) == [
                "n": .integer(2), "field_1": .double(3), "field_2": .double(1.5),
            ])
    }

    @Test func `no number is computed from an index with a field behind the name`() throws {
        let name = Value.reference(
            DocumentName(database: BackendSpec.database, key: key("c/a")))
        let w = FieldPath(["w"])
        let byName = Filter.field(.documentID, .greaterThan, name)
        var ordered = StructuredQuery.all("c")
        ordered.orderBys = [OrderBy(.documentID)]
        let sums = [v, w].map { Aggregation(alias: "", operation: .sum($0)) }
        let message =
            "This query requires an index that has fields [v, w] after __name__ and Firestore "
            + "does not currently support such an index. Please try the query again with "
            + "additional ordering on those fields."
        for query in [ordered, .all("c").filtered(byName)] {
            let plan = try QueryPlan(query, in: BackendSpec.database)
            #expect(throws: HearthError(code: .invalidArgument, message: message)) {
                try AggregationPlan(sums, over: plan)
            }
            let count = Aggregation(alias: "n", operation: .count(upTo: nil))
            #expect(throws: Never.self) { try AggregationPlan([count], over: plan) }
        }
        ordered.orderBys = [OrderBy(w), OrderBy(v), OrderBy(.documentID)]
        let plan = try QueryPlan(ordered, in: BackendSpec.database)
        #expect(throws: Never.self) { try AggregationPlan(sums, over: plan) }
    }

    @Test func `numbers of named documents, and of a field with a known value, need no such index`()
        throws
    {
        var spec = BackendSpec()
        for number in 1...3 { try spec.put("c/\(number)", ["v": .integer(Int64(number))]) }
        func sum(_ filters: [Filter], byName: Bool = false) throws -> Value? {
            var query = StructuredQuery.all("c").filtered(.and(filters))
            if byName { query.orderBys = [OrderBy(.documentID)] }
            let plan = try AggregationPlan(
                [Aggregation(alias: "s", operation: .sum(v))],
                over: QueryPlan(query, in: BackendSpec.database))
            return try spec.view().run(plan)["s"]
        }
        let names = ["c/2", "c/3"].map {
            Value.reference(DocumentName(database: BackendSpec.database, key: key($0)))
        }
        #expect(try sum([.field(.documentID, .equal, names[0])]) == .integer(2))
        #expect(try sum([.field(.documentID, .isIn, .array(names))]) == .integer(5))
        let fixed = Filter.field(v, .equal, .integer(2))
        #expect(try sum([fixed], byName: true) == .integer(2))
        #expect(
            try sum([fixed, .field(.documentID, .greaterThan, names[0])]) == .integer(0))
        let other = Filter.field(FieldPath(["w"]), .equal, .integer(1))
        for filter in [other, .or([fixed, other])] {
            #expect(throws: HearthError.self) { try sum([filter], byName: true) }
        }
    }

    @Test func `a limit under a sum takes the documents in the order of the field`() throws {
        var spec = BackendSpec()
        for (id, number) in [("1", 5), ("2", 1), ("3", 3)] as [(String, Int64)] {
            try spec.put("c/\(id)", ["v": .integer(number)])
        }
        let plan = try AggregationPlan(
            [Aggregation(alias: "s", operation: .sum(v))],
            over: QueryPlan(.all("c").limited(to: 2), in: BackendSpec.database))
        #expect(try spec.view().run(plan) == ["s": .integer(4)])
    }

    @Test func `missing parents are listed, and collections below them`() throws {
        var spec = BackendSpec()
        try spec.put("c/a", [:])
        try spec.put("c/ghost/sub/s", [:])
        try spec.put("d/x/c/y", [:])
        let view = try spec.view()
        let listing = try QueryPlan(
            listing: .root, collectionID: "c", limit: 1, in: BackendSpec.database)
        let listed = try view.list(listing, showMissing: true)
        #expect(listed.map(\.key.path.string) == ["c/a", "c/ghost"])
        #expect(view.collectionIDs(below: .root) == ["c", "d"])
        #expect(view.collectionIDs(below: key("c/ghost").path) == ["sub"])
    }

    @Test func `nearest neighbours come in the order of their distance`() throws {
        var spec = BackendSpec()
        for (id, x, y) in [("0", 1.0, 1.0), ("1", 2, 2), ("2", 3, -1), ("3", 0, 5)] {
            try spec.put("c/\(id)", ["v": .vector([x, y])])
        }
        try spec.put("c/bad", ["v": .array([.double(1), .double(1)])])
        func nearest(_ measure: NearestNeighbours.Measure, _ threshold: Double? = nil) throws
            -> [String]
        {
            let nearest = try NearestNeighbours(
                field: v, vector: .vector([1, 1]), measure: measure, limit: 3, resultField: nil,
                threshold: threshold)
            let plan = try QueryPlan(.all("c"), in: BackendSpec.database)
            return try spec.view().run(plan, nearest).documents.map(\.key.documentID)
        }
        #expect(try nearest(.euclidean) == ["0", "1", "2"])
        #expect(try nearest(.euclidean, 2) == ["0", "1"])
        #expect(try nearest(.cosine) == ["0", "1", "3"])
        #expect(try nearest(.dotProduct) == ["3", "1", "0"])
    }
}
