import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

/// Bundles that others built: `HEARTH_BUNDLE_DIR`.
struct BundleReaderJudgedTests {
    private static let folder = Judges.variable("HEARTH_BUNDLE_DIR")
    private static let database = DatabaseID(project: "demo-bundles")

    private func read(_ file: String) throws -> Bundle {
        let folder = try #require(Self.folder)
        let bytes = try #require(Judges.bytes(of: "\(folder)/\(file)"), "\(file) cannot be opened")
        return try BundleReader.read(bytes, database: Self.database)
    }

    private func manifest() throws -> JSONValue {
        let folder = try #require(Self.folder)
        return try JSONReader.read(try #require(Judges.bytes(of: "\(folder)/manifest.json")))
    }

    private static func isWhole(_ member: JSONValue.Member) -> Bool {
        member.value["metadata"] != nil
    }

    @Test(.enabled(if: folder != nil, "HEARTH_BUNDLE_DIR names no folder of bundles"))
    func `bundles hold what their manifest says`() throws {
        for member in try #require(try manifest().members) where Self.isWhole(member) {
            let bundle = try read(member.name)
            let metadata = member.value["metadata"]
            #expect(bundle.record.id == metadata?["id"]?.string)
            #expect(Int64(bundle.entries.count) == metadata?["totalDocuments"]?.integer)
            let total = metadata?["totalBytes"]
            #expect(Int64(bundle.byteCount) == total?.integer ?? total?.string.flatMap(Int64.init))
            let missing = bundle.entries.filter(\.document.isMissing).map {
                DocumentName(database: Self.database, key: $0.document.key).description
            }
            #expect(missing == member.value["missing"]?.elements?.compactMap(\.string))
            if let names = member.value["documents"]?.elements?.compactMap(\.string) {
                let found = bundle.entries.filter(\.document.isFound).map {
                    DocumentName(database: Self.database, key: $0.document.key).description
                }
                #expect(found == names)
            }
            for query in member.value["named_queries"]?.elements ?? [] {
                try expect(query, in: bundle)
            }
        }
    }

    /// The query's documents by name are the matching documents, if the bundle holds no others.
    private func expect(_ json: JSONValue, in bundle: Bundle) throws {
        let name = try #require(json["name"]?.string)
        let named = try #require(bundle.namedQueries.first { $0.name == name }, "\(name)")
        let matches = (json["matches"]?.elements ?? []).compactMap(\.string).sorted()
        let tagged = bundle.entries.filter { $0.queries.contains(name) && $0.document.isFound }
        #expect(tagged.map(\.document.key.description).sorted() == matches, "\(name)")
        let isLast = json["limitType"]?.string == "LAST"
        #expect((named.query.limit?.end == .last) == isLast, "\(name)")
        var found = DocumentSet(
            order: named.query.order,
            bundle.entries.map(\.document).filter { named.query.matches($0) }
        ).documents
        if let limit = named.query.limit {
            found = Array(isLast ? found.suffix(limit.count) : found.prefix(limit.count))
        }
        #expect(found.map(\.key.description).sorted() == matches, "\(name)")
    }

    @Test(.enabled(if: folder != nil, "HEARTH_BUNDLE_DIR names no folder of bundles"))
    func `every type of value is read with its edges`() throws {
        let fields = try #require(try read("02-types.bundle").entries.first).document.fields
        #expect(fields["imin"] == .integer(.min))
        #expect(fields["imax"] == .integer(.max))
        #expect(fields["negzero"] == .double(-0.0))
        #expect(fields["dint"] == .double(3))
        #expect(fields["nan"] == .double(.nan))
        #expect(fields["ninf"] == .double(-.infinity))
        #expect(fields["dmin"] == .double(.leastNonzeroMagnitude))
        #expect(fields["ts_old"] == .timestamp(Timestamp(seconds: -62_135_596_800, nanoseconds: 0)))
        #expect(fields["bytes"] == .bytes((0...255).map { UInt8($0) }))
        #expect(fields["vec"] == .vector([1, -2.5, 0]))
        #expect(fields["geo0"] == .geoPoint(GeoPoint(latitude: 0, longitude: 0)))
        #expect(fields["null"] == .null)
        #expect(fields["arr0"] == .array([]))
        #expect(fields["map0"] == .map(.empty))
        #expect(fields.count == 31)
    }

    @Test(.enabled(if: folder != nil, "HEARTH_BUNDLE_DIR names no folder of bundles"))
    func `the web dialect reads the same`() throws {
        let bundle = try read("08-js-dialect.bundle")
        let fields = try #require(bundle.entries.first).document.fields
        #expect(bundle.record.createdAt.timestamp.nanoseconds == 6)
        #expect(fields["k"] == .string("ä東京😀"))
        #expect(fields["n"] == .integer(7))
        #expect(fields["bar"] == .double(42))
        #expect(bundle.namedQueries.first?.query.limit == Query.Limit(1, .last))
    }

    @Test(.enabled(if: folder != nil, "HEARTH_BUNDLE_DIR names no folder of bundles"))
    func `broken bundles are refused with the place`() throws {
        #expect {
            try read("90-truncated.bundle")
        } throws: { error in
            guard case .truncated(_, missingByteCount: 37)? = error as? BundleError else {
                return false
            }
            return true
        }
        #expect(throws: BundleError.metadataMisplaced(offset: 0)) {
            try read("92-not-metadata-first.bundle")
        }
    }
}

/// The rules of the format, one by one.
struct BundleReaderTests {
    private static let database = DatabaseID(project: "p")
    private static let root = "projects/p/databases/(default)/documents"

    private func metadata(documents: Int) -> String {
        #"{"metadata":{"id":"b","createTime":"2020-01-01T00:00:00Z","version":1,"#
            + #""totalDocuments":\#(documents)}}"#
    }

    private func documentMetadata(_ path: String, exists: Bool = true, at second: Int = 1) -> String
    {
        #"{"documentMetadata":{"name":"\#(Self.root)/\#(path)","#
            + #""readTime":"2020-01-01T00:00:0\#(second)Z","exists":\#(exists)}}"#
    }

    private func document(_ path: String, x: Int = 1) -> String {
        #"{"document":{"name":"\#(Self.root)/\#(path)","updateTime":"2020-01-01T00:00:00Z","#
            + #""fields":{"x":{"integerValue":"\#(x)"}}}}"#
    }

    private func read(_ elements: String...) throws(BundleError) -> Bundle {
        let text = elements.map { "\($0.utf8.count)\($0)" }.joined()
        return try BundleReader.read(Array(text.utf8), database: Self.database)
    }

    @Test func `a document is as old as its last update, and read at its metadata's time`() throws {
        let bundle = try read(metadata(documents: 1), documentMetadata("a/b"), document("a/b"))
        let document = try #require(bundle.entries.first).document
        #expect(document.version.description == "2020-01-01T00:00:00Z")
        #expect(document.readAt.description == "2020-01-01T00:00:01Z")
        #expect(document.isFound)
    }

    @Test func `a missing document is as old as its reading`() throws {
        let bundle = try read(metadata(documents: 1), documentMetadata("a/b", exists: false))
        let document = try #require(bundle.entries.first).document
        #expect(document.isMissing)
        #expect(document.version.description == "2020-01-01T00:00:01Z")
        #expect(document.readAt == document.version)
    }

    @Test func `of one document told twice the later read counts`() throws {
        let bundle = try read(
            metadata(documents: 2), documentMetadata("a/b", at: 5), document("a/b", x: 5),
            documentMetadata("a/b", at: 3), document("a/b", x: 3))
        #expect(bundle.entries.count == 1)
        #expect(bundle.entries.first?.document.fields["x"] == .integer(5))
    }

    @Test func `an existing document must follow its own metadata`() {
        #expect(throws: BundleError.self) {
            try read(metadata(documents: 1), documentMetadata("a/b"))
        }
        #expect(throws: BundleError.self) {
            try read(metadata(documents: 1), documentMetadata("a/b"), document("a/c"))
        }
        #expect(throws: BundleError.self) { try read(metadata(documents: 1), document("a/b")) }
    }

    @Test func `a count that is not kept is refused`() {
        #expect(throws: BundleError.wrongDocumentCount(expected: 2, found: 1)) {
            try read(metadata(documents: 2), documentMetadata("a/b"), document("a/b"))
        }
    }

    @Test func `names of another database are refused`() {
        let foreign =
            #"{"documentMetadata":{"name":"projects/q/databases/(default)/documents/a/b"}}"#
        #expect {
            try read(metadata(documents: 1), foreign)
        } throws: { error in
            guard case .foreignName? = error as? BundleError else { return false }
            return true
        }
    }

    @Test(arguments: ["x{}", "{}", "9999{}", "99999999999999999999999{}", "2{]", "3[1]"])
    func `what is no element is refused`(text: String) {
        let head = metadata(documents: 0)
        let bytes = Array("\(head.utf8.count)\(head)\(text)".utf8)
        #expect(throws: BundleError.self) {
            try BundleReader.read(bytes, database: Self.database)
        }
    }

    @Test(arguments: [#""1e400""#, #""-1e400""#, "1e400"])
    func `a number that no double can hold is refused, and is no infinity`(number: String) {
        let large = document("a/b").replacing(
            #""integerValue":"1""#, with: #""doubleValue":\#(number)"#)
        #expect(throws: BundleError.self) {
            try read(metadata(documents: 1), documentMetadata("a/b"), large)
        }
    }

    @Test func `infinity has its own word`() throws {
        let infinite = document("a/b").replacing(
            #""integerValue":"1""#, with: #""doubleValue":"-Infinity""#)
        let bundle = try read(metadata(documents: 1), documentMetadata("a/b"), infinite)
        let fields = try #require(bundle.entries.first).document.fields
        #expect(fields["x"] == .double(-.infinity))
    }

    @Test func `a sentence of an error ends with one full stop`() {
        for reason in ["no id is one dot or two", "no id is one dot or two."] {
            let error = BundleError.badElement(offset: 3, reason: reason)
            #expect(error.description.hasSuffix(": no id is one dot or two."))
        }
    }

    @Test func `an empty bundle is refused`() {
        #expect(throws: BundleError.metadataMisplaced(offset: 0)) {
            try BundleReader.read([], database: Self.database)
        }
    }

    @Test(arguments: ["select", "offset"])
    func `a query that a cache cannot hold is refused`(member: String) {
        let query =
            #"{"namedQuery":{"name":"q","bundledQuery":{"parent":"\#(Self.root)","#
            + #""structuredQuery":{"from":[{"collectionId":"a"}],"\#(member)":{}}}}}"#
        #expect(throws: BundleError.self) { try read(metadata(documents: 0), query) }
    }

    /// A query as Google's Python library writes it.
    private func query(_ name: String, from: String, parent: String? = nil) -> String {
        #"{"namedQuery":{"name":"\#(name)","bundledQuery":{"parent":"\#(parent ?? name)","#
            + #""structuredQuery":{"from":[\#(from)]}},"readTime":"0001-01-01T00:00:00Z"}}"#
    }

    private func found(_ path: String, by query: String) -> String {
        #"{"documentMetadata":{"name":"\#(Self.root)/\#(path)","exists":true,"#
            + #""readTime":"2020-01-01T00:00:01Z","queries":["\#(query)"]}}"#
    }

    @Test(arguments: [
        (#"{"collectionId":"lamps"}"#, "rooms/hall/lamps/a", "rooms/hall/lamps"),
        (#"{"collectionId":"rooms"}"#, "rooms/hall", "rooms"),
        (#"{"collectionId":"lamps","allDescendants":true}"#, "rooms/hall/lamps/a", ""),
    ])
    func `a query whose parent is only its name looks where what it found lies`(
        from: String, path: String, place: String
    ) throws {
        let bundle = try read(
            metadata(documents: 1), query("all", from: from), found(path, by: "all"),
            document(path))
        let named = try #require(bundle.namedQueries.first)
        #expect(named.query.path.string == place)
        let entry = try #require(bundle.entries.first)
        #expect(named.query.matches(entry.document))
    }

    @Test func `a query whose parent is only its name and that found nothing looks at the top`()
        throws
    {
        let bundle = try read(
            metadata(documents: 0), query("none", from: #"{"collectionId":"rooms"}"#))
        let named = try #require(bundle.namedQueries.first)
        #expect(named.query == Query(path: try ResourcePath(parsing: "rooms")))
        #expect(named.readAt == .zero)
    }

    @Test(arguments: ["other", "projects/q/databases/(default)/documents", ""])
    func `a query whose parent is neither of this database nor its name is refused`(
        parent: String
    ) {
        #expect {
            try read(
                metadata(documents: 0),
                query("all", from: #"{"collectionId":"rooms"}"#, parent: parent))
        } throws: { error in
            guard case .foreignName(_, parent)? = error as? BundleError else { return false }
            return true
        }
    }

    @Test func `a bundle that is still compressed is refused with what would help`() {
        #expect(throws: BundleError.compressed) {
            try BundleReader.read([0x1F, 0x8B, 8, 0, 0], database: Self.database)
        }
        #expect(BundleError.compressed.description.contains("curl --compressed"))
    }
}
