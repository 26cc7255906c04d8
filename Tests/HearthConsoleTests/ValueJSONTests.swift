import HearthConsole
import HearthModel
import Testing

/// Values, writes and queries as JSON, both ways.
struct ValueJSONTests {
    private let database = DatabaseID(project: "demo")

    private static let values: [(Value, String)] = [
        (.null, #"{"nullValue":null}"#),
        (.boolean(true), #"{"booleanValue":true}"#),
        (.integer(.max), #"{"integerValue":"9223372036854775807"}"#),
        (.integer(.min), #"{"integerValue":"-9223372036854775808"}"#),
        (.double(0.1), #"{"doubleValue":0.1}"#),
        (.double(3), #"{"doubleValue":3.0}"#),
        (.double(-0.0), #"{"doubleValue":"-0"}"#),
        (.double(.nan), #"{"doubleValue":"NaN"}"#),
        (.double(.infinity), #"{"doubleValue":"Infinity"}"#),
        (.double(-.infinity), #"{"doubleValue":"-Infinity"}"#),
        (.double(.leastNonzeroMagnitude), #"{"doubleValue":5e-324}"#),
        (
            .timestamp(Timestamp(seconds: 1_767_323_045, nanoseconds: 123_456_000)),
            #"{"timestampValue":"2026-01-02T03:04:05.123456Z"}"#
        ),
        (.string("a\"\u{1}é\u{1F600}"), #"{"stringValue":"a\"\u0001é😀"}"#),
        (.string(""), #"{"stringValue":""}"#),
        (.bytes([0, 255, 16]), #"{"bytesValue":"AP8Q"}"#),
        (
            .reference(
                DocumentName(
                    database: DatabaseID(project: "other", database: "two"),
                    path: ResourcePath(["rooms", "hall"]))),
            #"{"referenceValue":"projects/other/databases/two/documents/rooms/hall"}"#
        ),
        (
            .geoPoint(GeoPoint(latitude: 52.5, longitude: -13.25)),
            #"{"geoPointValue":{"latitude":52.5,"longitude":-13.25}}"#
        ),
        (
            .array([.integer(1), .map(["a": .null])]),
            #"{"arrayValue":{"values":[{"integerValue":"1"},{"mapValue":{"fields":{"a":{"nullValue":null}}}}]}}"#
        ),
        (.array([]), #"{"arrayValue":{"values":[]}}"#),
        (.map([:]), #"{"mapValue":{"fields":{}}}"#),
        (
            .vector([1, 2.5]),
            #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1.0},{"doubleValue":2.5}]}}}}}"#
        ),
    ]

    @Test(arguments: values.indices)
    func `every type is written as the REST interface has it, and read back to the bit`(index: Int)
        throws
    {
        let (value, text) = Self.values[index]
        let json = ValueJSON.json(of: value)
        #expect(String(decoding: JSONWriter.bytes(of: json), as: UTF8.self) == text)
        #expect(try ValueJSON.value(try JSONReader.read(Array(text.utf8))) == value)
    }

    @Test func `every type of Firestore has a case here`() {
        let tags = Self.values.map { value, text in text.prefix { $0 != ":" } }
        #expect(Set(tags).count == 11)
    }

    @Test func `a pending server timestamp shows its estimate, which nobody needs to send back`()
        throws
    {
        let time = Timestamp(seconds: 5, nanoseconds: 0)
        let pending = Value.serverTimestamp(
            PendingServerTimestamp(localWriteTime: time, previousValue: .integer(1)))
        let json = ValueJSON.json(of: pending)
        #expect(json["isEstimate"] == .boolean(true))
        #expect(try ValueJSON.value(json) == .timestamp(time))
    }

    @Test(arguments: [
        "1", "null", "[]", "{}", #"{"stringValue":1}"#, #"{"integerValue":"1.5"}"#,
        #"{"integerValue":"9223372036854775808"}"#, #"{"doubleValue":"big"}"#,
        #"{"timestampValue":"yesterday"}"#, #"{"bytesValue":"@"}"#,
        #"{"referenceValue":"rooms/hall"}"#,
        #"{"geoPointValue":{"latitude":91,"longitude":0}}"#,
        #"{"stringValue":"a","integerValue":"1"}"#,
        #"{"arrayValue":{"values":[{"arrayValue":{}}]}}"#,
        #"{"mapValue":{"fields":{"":{"nullValue":null}}}}"#,
        #"{"colourValue":"red"}"#, #"{"booleanValue":"true"}"#, #"{"arrayValue":[]}"#,
    ])
    func `what is no value of Firestore is refused`(text: String) throws {
        let json = try JSONReader.read(Array(text.utf8))
        #expect(throws: HearthError.self) { try ValueJSON.value(json) }
    }

    @Test func `a value that nests too deep is refused, and harms nobody`() throws {
        var text = #"{"nullValue":null}"#
        for _ in 0..<60 { text = #"{"mapValue":{"fields":{"a":\#(text)}}}"# }
        let json = try JSONReader.read(Array(text.utf8))
        #expect(throws: HearthError.self) { try ValueJSON.value(json) }
    }

    private static let writes = [
        #"{"update":{"name":"rooms/hall","fields":{"n":{"integerValue":"1"}}}}"#,
        #"{"update":{"name":"rooms/hall","fields":{}},"currentDocument":{"exists":false}}"#,
        #"{"update":{"name":"rooms/hall","fields":{"a":{"nullValue":null}}},"updateMask":{"fieldPaths":["a","`odd name`.c"]},"updateTransforms":[{"fieldPath":"t","setToServerValue":"REQUEST_TIME"},{"fieldPath":"i","increment":{"integerValue":"2"}},{"fieldPath":"m","maximum":{"doubleValue":1.5}},{"fieldPath":"k","minimum":{"integerValue":"0"}},{"fieldPath":"u","appendMissingElements":{"values":[{"stringValue":"x"}]}},{"fieldPath":"r","removeAllFromArray":{"values":[]}}],"currentDocument":{"exists":true}}"#,
        #"{"delete":"rooms/hall","currentDocument":{"updateTime":"2026-01-02T03:04:05.123456Z"}}"#,
        #"{"verify":"rooms/hall"}"#,
    ]

    @Test(arguments: writes)
    func `a write is read and written without a difference`(text: String) throws {
        let mutation = try MutationJSON.mutation(
            try JSONReader.read(Array(text.utf8)), in: database)
        let written = JSONWriter.bytes(of: MutationJSON.json(of: mutation))
        #expect(String(decoding: written, as: UTF8.self) == text)
    }

    @Test(arguments: [
        "{}", #"{"update":{"fields":{}}}"#, #"{"delete":"rooms"}"#,
        #"{"delete":"rooms/hall","verify":"a/b"}"#,
        #"{"delete":"projects/x/databases/(default)/documents/rooms/hall"}"#,
        #"{"delete":"a/b","currentDocument":{"exists":true,"updateTime":"2026-01-02T03:04:05Z"}}"#,
        #"{"update":{"name":"a/b"},"updateMask":{"fieldPaths":["a..b"]}}"#,
        #"{"update":{"name":"a/b"},"updateTransforms":[{"fieldPath":"a","increment":{"stringValue":"1"}}]}"#,
        #"{"update":{"name":"a/b"},"updateTransforms":[{"fieldPath":"a","explode":1}]}"#,
    ])
    func `what is no write is refused`(text: String) throws {
        let json = try JSONReader.read(Array(text.utf8))
        #expect(throws: HearthError.self) { try MutationJSON.mutation(json, in: database) }
    }

    private func query(_ text: String) throws -> Query {
        try QueryJSON.query(try JSONReader.read(Array(text.utf8)), limitMax: 500, in: database)
    }

    @Test func `a form becomes the query that a program would ask`() throws {
        let query = try query(
            #"""
            {"collection":"rooms","where":[{"field":"seats","op":"GREATER_THAN","value":{"integerValue":"3"}},
            {"field":"__name__","op":"LESS_THAN","value":{"stringValue":"m"}}],
            "orderBy":[{"field":"seats","direction":"DESCENDING"}],"limit":20,"startAfter":[{"integerValue":"9"}]}
            """#)
        var expected = Query(path: try ResourcePath(parsing: "rooms"))
        expected.filters = [
            .field(FieldPath(["seats"]), .greaterThan, .integer(3)),
            .field(
                .documentID, .lessThan,
                .reference(DocumentName(database: database, path: ResourcePath(["rooms", "m"])))),
        ]
        expected.explicitOrderBys = [OrderBy(FieldPath(["seats"]), .descending)]
        expected.limit = .init(20)
        expected.startAt = Bound([.integer(9)], isInclusive: false)
        #expect(query == expected)
    }

    @Test func `any of several conditions, a group, and the end of an order`() throws {
        let query = try query(
            #"""
            {"collectionGroup":"lamps","match":"any","where":[{"field":"a","op":"EQUAL","value":{"nullValue":null}},
            {"field":"b","op":"IN","value":{"arrayValue":{"values":[{"integerValue":"1"}]}}}],
            "orderBy":[{"field":"a"}],"limitToLast":true,"limit":7}
            """#)
        #expect(query.collectionGroup == "lamps")
        #expect(query.limit == .init(7, .last))
        #expect(query.filters.count == 1 && query.filters[0].flattened.count == 2)
    }

    @Test func `no query asks for more than a page holds`() throws {
        #expect(try query(#"{"collection":"rooms"}"#).limit?.count == 500)
        #expect(try query(#"{"collection":"rooms","limit":100000}"#).limit?.count == 500)
    }

    @Test(arguments: [
        "[]", "{}", #"{"collection":"rooms/hall"}"#,
        #"{"collection":"rooms","collectionGroup":"x"}"#,
        #"{"collection":"rooms","limit":0}"#, #"{"collection":"rooms","limit":"7"}"#,
        #"{"collection":"rooms","match":"some"}"#, #"{"collection":"rooms","limitToLast":true}"#,
        #"{"collection":"rooms","where":[{"field":"a","op":"LIKE","value":{"nullValue":null}}]}"#,
        #"{"collection":"rooms","where":[{"field":"a","op":"EQUAL"}]}"#,
        #"{"collection":"rooms","where":[{"field":"a","op":"IN","value":{"integerValue":"1"}}]}"#,
        #"{"collection":"rooms","orderBy":[{"field":"a","direction":"UP"}]}"#,
        #"{"collection":"rooms","startAt":[{"integerValue":"1"},{"integerValue":"1"}]}"#,
    ])
    func `what is no query is refused`(text: String) {
        #expect(throws: HearthError.self) { try query(text) }
    }
}
