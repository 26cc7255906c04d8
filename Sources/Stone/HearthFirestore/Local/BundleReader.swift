package import HearthModel

/// Reads a bundle: a file built by a server, for clients to start with a full cache.
///
/// Shape: elements, each its byte count in decimal digits and then so many bytes of JSON. First
/// `metadata`, then in any order `namedQuery` and pairs of `documentMetadata` and `document`; a
/// document that does not exist has metadata alone.
///
/// - Source: firebase-js-sdk `util/bundle_reader`, `protos/firestore/bundle.proto`.
package struct BundleReader: Sendable {
    private let database: DatabaseID
    /// What has come of the element in hand, and the elements behind it.
    private var bytes: [UInt8] = []
    /// Where in `bytes` the element in hand begins.
    private var place = 0
    /// Bytes of the bundle in front of `bytes`.
    private var goneByteCount = 0
    /// Where the element in hand starts in the bundle, for errors.
    private var elementOffset = 0
    /// Why the bundle cannot be loaded; what comes afterwards is dropped.
    private var failure: BundleError?

    private var head: Head?
    private var entries: [Bundle.Entry] = []
    private var places: [DocumentKey: Int] = [:]
    private var documentCount = 0
    private var queries: [BundledQuery] = []
    /// A document that each named query found, by the query's name.
    private var found: [UTF8Text: DocumentKey] = [:]
    private var awaited: DocumentMetadata?

    /// The first element.
    private struct Head {
        let record: BundleRecord
        let documentCount: Int
        /// Bytes of the other elements, as the first element states; 0 if it does not.
        ///
        /// No SDK of Google's holds a bundle to the number, and a library that reads a bundle and writes it anew keeps
        /// the old number. So the number is only what the progress goes by until all has come.
        let byteCount: Int
        /// Where the other elements start.
        let end: Int
    }

    private struct DocumentMetadata {
        let key: DocumentKey
        let readAt: SnapshotVersion
        let queries: [String]
    }

    /// How a file begins that gzip has made.
    private static let gzipMagic: [UInt8] = [0x1F, 0x8B]

    /// The longest element. A document of 1 MiB, the longest that Firestore takes, is shorter in
    /// JSON unless the document is made of almost nothing but nulls.
    package static let elementByteCountMax = 16 * 1_048_576

    /// Nothing has come.
    ///
    /// - Parameter database: The database that every name in the bundle must belong to.
    package init(database: DatabaseID) {
        self.database = database
    }

    /// Reads a whole bundle and checks it.
    ///
    /// The reader understands both dialects: proto3 JSON as the servers' libraries write it, and
    /// the web SDK's, whose times are objects and whose limits are wrapped.
    ///
    /// - Parameter database: The database that every name in the bundle must belong to.
    /// - Throws: `BundleError` for the first element that breaks the format.
    /// - Complexity: O(n).
    package static func read(_ bytes: [UInt8], database: DatabaseID) throws(BundleError) -> Bundle {
        var reader = BundleReader(database: database)
        reader.append(bytes)
        return try reader.finish()
    }

    /// Takes the next part, and reads the elements that have come whole.
    ///
    /// What is wrong is told by `finish`, because whoever sends the parts is answered at the end.
    ///
    /// - Complexity: O(part and the elements that the part completes).
    package mutating func append(_ part: some Sequence<UInt8>) {
        guard failure == nil else { return }
        bytes += part
        do throws(BundleError) {
            if goneByteCount == 0 {
                if bytes.starts(with: Self.gzipMagic) { throw .compressed }
                if bytes.count == 1, bytes == [Self.gzipMagic[0]] { return }
            }
            while let element = try nextElement() { try take(element) }
        } catch {
            failure = error
            bytes = []
            return
        }
        goneByteCount += place
        bytes.removeFirst(place)
        place = 0
    }

    /// The bundle, after its last part.
    ///
    /// - Throws: `BundleError` for the first element that breaks the format.
    /// - Complexity: O(queries).
    package func finish() throws(BundleError) -> Bundle {
        if let failure { throw failure }
        try expectNothingBegun()
        guard let head else { throw .metadataMisplaced(offset: 0) }
        try expectNothingAwaited()
        guard head.documentCount == documentCount else {
            throw .wrongDocumentCount(expected: head.documentCount, found: documentCount)
        }
        return Bundle(
            record: head.record, entries: entries, namedQueries: try namedQueries(),
            byteCount: goneByteCount - head.end)
    }

    /// How much has come whole, without the first element.
    ///
    /// The engine begins to store documents when the bundle has come whole. A bundle that is longer than it
    /// says has as many bytes as have come.
    package var progress: BundleProgress {
        let byteCount = goneByteCount - (head?.end ?? goneByteCount)
        return BundleProgress(
            documentsLoaded: documentCount - (awaited == nil ? 0 : 1),
            totalDocuments: head?.documentCount ?? 0, bytesLoaded: byteCount,
            totalBytes: head.map { max($0.byteCount, byteCount) } ?? bytes.count)
    }

    // MARK: Elements

    /// The next element that has come whole; `nil` if more must come first.
    private mutating func nextElement() throws(BundleError) -> JSONValue? {
        elementOffset = goneByteCount + place
        guard let length = try elementLength() else { return nil }
        let start = length.end
        guard length.byteCount <= bytes.count - start else { return nil }
        place = start + length.byteCount
        do {
            return try JSONReader.read(Array(bytes[start..<place]))
        } catch {
            throw .badJSON(offset: goneByteCount + start + error.offset, reason: error.reason)
        }
    }

    /// The length in front of the element in hand, and where in `bytes` the digits end; `nil` if
    /// the digits have not all come.
    private func elementLength() throws(BundleError) -> (byteCount: Int, end: Int)? {
        var length = 0
        var end = place
        while end < bytes.count, bytes[end] != UInt8(ascii: "{") {
            let byte = bytes[end]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
                throw .noLength(offset: elementOffset)
            }
            length = length * 10 + Int(byte - UInt8(ascii: "0"))
            guard length <= Self.elementByteCountMax else {
                throw .tooLong(offset: elementOffset, byteCountMax: Self.elementByteCountMax)
            }
            end += 1
        }
        guard end < bytes.count else { return nil }
        guard end > place else { throw .noLength(offset: elementOffset) }
        return (length, end)
    }

    /// Refuses an element whose end has not come.
    private func expectNothingBegun() throws(BundleError) {
        guard !bytes.isEmpty else { return }
        guard let length = try elementLength() else { throw .noLength(offset: elementOffset) }
        throw .truncated(
            offset: elementOffset, missingByteCount: length.byteCount - (bytes.count - length.end))
    }

    private mutating func take(_ element: JSONValue) throws(BundleError) {
        guard head != nil else {
            guard let metadata = element["metadata"] else { throw .metadataMisplaced(offset: 0) }
            head = try head(metadata)
            return
        }
        guard let members = element.members else { throw bad("it is no object") }
        // The Python builder puts an empty element where a missing document would stand.
        guard let member = members.first else { return }
        guard members.count == 1 else { throw bad("it has more than one kind") }
        if !utf8Equals(member.name, "document") { try expectNothingAwaited() }
        switch member.name {
        case "metadata": throw .metadataMisplaced(offset: elementOffset)
        case "namedQuery": try takeNamedQuery(member.value)
        case "documentMetadata": try takeDocumentMetadata(member.value)
        case "document": try takeDocument(member.value)
        default: throw bad("the kind \"\(member.name)\" is unknown")
        }
    }

    private func expectNothingAwaited() throws(BundleError) {
        if let awaited {
            throw .documentMisplaced(offset: elementOffset, name: awaited.key.description)
        }
    }

    private func head(_ json: JSONValue) throws(BundleError) -> Head {
        guard let id = json["id"]?.string else { throw bad("it has no id") }
        guard id.utf8.count <= PathLimits.segmentByteCountMax else {
            throw bad("an id has \(PathLimits.segmentByteCountMax) bytes at most")
        }
        let record = BundleRecord(
            id: id, createdAt: SnapshotVersion(try time(json["createTime"])),
            version: try count(json["version"]))
        return Head(
            record: record, documentCount: try count(json["totalDocuments"]),
            byteCount: (try? count(json["totalBytes"])) ?? 0, end: goneByteCount + place)
    }

    /// The queries, each looking where the bundle says or where what it found lies. O(queries).
    ///
    /// Of two queries with one name the later counts.
    private func namedQueries() throws(BundleError) -> [NamedQuery] {
        var named: [NamedQuery] = []
        var places: [UTF8Text: Int] = [:]
        for query in queries {
            let name = UTF8Text(query.name)
            let placed = try query.placed(beside: found[name])
            if let place = places[name] {
                named[place] = placed
            } else {
                places[name] = named.count
                named.append(placed)
            }
        }
        return named
    }

    private mutating func takeNamedQuery(_ json: JSONValue) throws(BundleError) {
        let readAt = SnapshotVersion(try time(json["readTime"]))
        queries.append(
            try BundledQuery(json, readAt: readAt, at: elementOffset, in: database))
    }

    private mutating func takeDocumentMetadata(_ json: JSONValue) throws(BundleError) {
        let queries = (json["queries"]?.elements ?? []).compactMap(\.string)
        let metadata = DocumentMetadata(
            key: try key(json["name"]), readAt: SnapshotVersion(try time(json["readTime"])),
            queries: queries)
        if let head, documentCount >= head.documentCount {
            throw .wrongDocumentCount(expected: head.documentCount, found: documentCount + 1)
        }
        documentCount += 1
        guard json["exists"]?.boolean == true else {
            add(.missing(metadata.key, at: metadata.readAt), metadata)
            return
        }
        awaited = metadata
    }

    private mutating func takeDocument(_ json: JSONValue) throws(BundleError) {
        let key = try key(json["name"])
        guard let metadata = awaited, metadata.key == key else {
            throw .documentMisplaced(offset: elementOffset, name: key.description)
        }
        awaited = nil
        let fields: MapValue
        do {
            fields = try BundleJSON(database: database).fields(json["fields"])
        } catch {
            throw bad(error.reason)
        }
        let document = Document.found(
            key, at: SnapshotVersion(try time(json["updateTime"])), fields,
            createdAt: SnapshotVersion(try time(json["createTime"])))
        guard metadata.readAt != .zero || document.version != .zero else {
            throw bad("a document has neither the time of its reading nor of its update")
        }
        add(document, metadata)
    }

    /// Of two tellings of one document the later read counts.
    private mutating func add(_ document: Document, _ metadata: DocumentMetadata) {
        var document = document
        document.readAt = metadata.readAt
        let entry = Bundle.Entry(document: document, queries: metadata.queries)
        if document.isFound {
            for name in metadata.queries { found[UTF8Text(name)] = document.key }
        }
        guard let place = places[document.key] else {
            places[document.key] = entries.count
            entries.append(entry)
            return
        }
        if entries[place].document.readAt <= document.readAt { entries[place] = entry }
    }

    // MARK: Parts

    private func bad(_ reason: String) -> BundleError {
        .badElement(offset: elementOffset, reason: reason)
    }

    private func key(_ json: JSONValue?) throws(BundleError) -> DocumentKey {
        guard let text = json?.string else { throw bad("a document has no name") }
        guard let name = DocumentName(text), name.database == database else {
            throw .foreignName(offset: elementOffset, name: text)
        }
        guard let key = name.key else { throw bad("\"\(text)\" is no document's name") }
        do throws(PathError) {
            try key.path.checkLimits()
        } catch {
            throw bad("\(error)")
        }
        return key
    }

    private func time(_ json: JSONValue?) throws(BundleError) -> Timestamp {
        guard let json else { return SnapshotVersion.zero.timestamp }
        guard let time = BundleJSON.timestamp(json) else { throw bad("a time cannot be read") }
        return time
    }

    private func count(_ json: JSONValue?) throws(BundleError) -> Int {
        guard let json else { return 0 }
        guard let number = BundleJSON.integer(json), number >= 0 else {
            throw bad("a count cannot be read")
        }
        return Int(number)
    }
}
