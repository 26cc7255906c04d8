package import HearthModel

/// Reads a bundle: a file built by a server, for clients to start with a full cache.
///
/// Shape: elements, each its byte count in decimal digits and then so many bytes of JSON. First
/// `metadata`, then in any order `namedQuery` and pairs of `documentMetadata` and `document`; a
/// document that does not exist has metadata alone.
///
/// - Source: firebase-js-sdk `util/bundle_reader`, `protos/firestore/bundle.proto`.
package struct BundleReader {
    private let database: DatabaseID
    private let bytes: [UInt8]
    private var offset = 0
    /// Where the element in hand starts, for errors.
    private var elementOffset = 0

    private var entries: [Bundle.Entry] = []
    private var places: [DocumentKey: Int] = [:]
    private var documentCount = 0
    private var queries: [BundledQuery] = []
    private var awaited: DocumentMetadata?

    private struct DocumentMetadata {
        let key: DocumentKey
        let readAt: SnapshotVersion
        let queries: [String]
    }

    /// How a file begins that gzip has made.
    private static let gzipMagic: [UInt8] = [0x1F, 0x8B]

    private init(_ bytes: [UInt8], database: DatabaseID) {
        self.bytes = bytes
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
        if bytes.starts(with: gzipMagic) { throw .compressed }
        var reader = BundleReader(bytes, database: database)
        guard let first = try reader.nextElement(), let metadata = first["metadata"] else {
            throw .metadataMisplaced(offset: 0)
        }
        let head = try reader.head(metadata)
        let start = reader.offset
        while let element = try reader.nextElement() { try reader.take(element) }
        try reader.expectNothingAwaited()
        guard head.documentCount == reader.documentCount else {
            throw .wrongDocumentCount(expected: head.documentCount, found: reader.documentCount)
        }
        return Bundle(
            record: head.record, entries: reader.entries,
            namedQueries: try reader.namedQueries(), byteCount: bytes.count - start)
    }

    /// The sizes that a bundle states, as soon as the bundle's first element has come.
    package static func totals(in bytes: [UInt8]) -> (documentCount: Int, byteCount: Int)? {
        // The first element has no names to check, so the database does not matter.
        var reader = BundleReader(bytes, database: DatabaseID(project: ""))
        guard let first = try? reader.nextElement(), let metadata = first["metadata"],
            let documentCount = try? reader.count(metadata["totalDocuments"]),
            let byteCount = try? reader.count(metadata["totalBytes"])
        else { return nil }
        return (documentCount, byteCount)
    }

    // MARK: Elements

    private mutating func nextElement() throws(BundleError) -> JSONValue? {
        guard offset < bytes.count else { return nil }
        elementOffset = offset
        var length = 0
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "{") {
            let byte = bytes[offset]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), length < 1 << 40 else {
                throw .noLength(offset: elementOffset)
            }
            length = length * 10 + Int(byte - UInt8(ascii: "0"))
            offset += 1
        }
        guard offset > elementOffset else { throw .noLength(offset: elementOffset) }
        guard length <= bytes.count - offset else {
            throw .truncated(
                offset: elementOffset, missingByteCount: length - (bytes.count - offset))
        }
        let start = offset
        offset += length
        do {
            return try JSONReader.read(Array(bytes[start..<offset]))
        } catch {
            throw .badJSON(offset: start + error.offset, reason: error.reason)
        }
    }

    private mutating func take(_ element: JSONValue) throws(BundleError) {
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

    private func head(_ json: JSONValue) throws(BundleError)
        -> (record: BundleRecord, documentCount: Int)
    {
        guard let id = json["id"]?.string else { throw bad("it has no id") }
        guard id.utf8.count <= PathLimits.segmentByteCountMax else {
            throw bad("an id has \(PathLimits.segmentByteCountMax) bytes at most")
        }
        let record = BundleRecord(
            id: id, createdAt: SnapshotVersion(try time(json["createTime"])),
            version: try count(json["version"]))
        return (record, try count(json["totalDocuments"]))
    }

    /// The queries, each looking where the bundle says or where what it found lies. O(n).
    private func namedQueries() throws(BundleError) -> [NamedQuery] {
        var found: [UTF8Text: DocumentKey] = [:]
        for entry in entries where entry.document.isFound {
            for name in entry.queries { found[UTF8Text(name)] = entry.document.key }
        }
        var named: [NamedQuery] = []
        for query in queries {
            named.append(try query.placed(beside: found[UTF8Text(query.name)]))
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
