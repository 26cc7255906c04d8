import HearthFirestore
import HearthModel
import Testing

/// A bundle that comes in parts.
struct BundleReaderPartsTests {
    private static let database = DatabaseID(project: "p")
    private static let root = "projects/p/databases/(default)/documents"
    private static let elements = [
        #"{"metadata": {"id": "b", "createTime": "2026-01-01T00:00:00Z", "version": 1, "#
            + #""totalDocuments": 3, "totalBytes": 500}}"#,
        #"{"documentMetadata": {"name": "\#(root)/rooms/a", "exists": true, "#
            + #""readTime": "2026-01-01T00:00:00Z"}}"#,
        #"{"document": {"name": "\#(root)/rooms/a", "updateTime": "2026-01-01T00:00:00Z"}}"#,
        #"{"documentMetadata": {"name": "\#(root)/rooms/b", "#
            + #""readTime": "2026-01-01T00:00:00Z"}}"#,
        #"{"namedQuery": {"name": "document", "readTime": "2026-01-01T00:00:00Z", "#
            + #""bundledQuery": {"parent": "\#(root)", "#
            + #""structuredQuery": {"from": [{"collectionId": "rooms"}]}}}}"#,
        #"{ "documentMetadata": {"exists": true, "name": "\#(root)/rooms/ä", "#
            + #""readTime": "2026-01-01T00:00:00Z"}}"#,
        #"{"document": {"name": "\#(root)/rooms/ä", "updateTime": "2026-01-01T00:00:00Z"}}"#,
    ]

    private static func bytes(_ element: String) -> [UInt8] {
        Array("\(element.utf8.count)\(element)".utf8)
    }

    private static func finished(_ reader: BundleReader) -> Result<Bundle, BundleError> {
        do throws(BundleError) {
            return .success(try reader.finish())
        } catch {
            return .failure(error)
        }
    }

    @Test func `documents count as they come, missing ones too, and bytes without the first`() {
        var reader = BundleReader(database: Self.database)
        #expect(reader.progress.documentsLoaded == 0)
        var documents: [Int] = []
        var loaded: [Int] = []
        for element in Self.elements {
            reader.append(Self.bytes(element))
            documents.append(reader.progress.documentsLoaded)
            loaded.append(reader.progress.bytesLoaded)
            #expect(reader.progress.totalDocuments == 3)
            // The bundle is longer than it says.
            #expect(reader.progress.totalBytes == max(500, reader.progress.bytesLoaded))
        }
        #expect(documents == [0, 0, 1, 2, 2, 2, 3])
        #expect(reader.progress.totalBytes > 500)
        let sizes = Self.elements.dropFirst().map { Self.bytes($0).count }
        #expect(loaded == sizes.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) })
    }

    @Test(arguments: ["", "0", "1", "\"9223372036854775807\"", "-5", "\"many\""])
    func `a bundle that tells a wrong size of itself is loaded, and its true size told`(
        size: String
    ) throws {
        let stated = size.isEmpty ? "" : #", "totalBytes": \#(size)"#
        var elements = Self.elements
        elements[0] = elements[0].replacing(#", "totalBytes": 500"#, with: stated)
        var reader = BundleReader(database: Self.database)
        for element in elements {
            reader.append(Self.bytes(element))
            let progress = reader.progress
            #expect(progress.bytesLoaded >= 0 && progress.bytesLoaded <= progress.totalBytes)
        }
        let byteCount = elements.dropFirst().reduce(0) { $0 + Self.bytes($1).count }
        #expect(try reader.finish().byteCount == byteCount)
    }

    @Test func `a bundle with more documents than it promises is refused when the next comes`() {
        var reader = BundleReader(database: Self.database)
        let head = Self.elements[0].replacing("Documents\": 3", with: "Documents\": 1")
        for element in [head] + Self.elements[1...3] { reader.append(Self.bytes(element)) }
        let error = BundleError.wrongDocumentCount(expected: 1, found: 2)
        #expect(Self.finished(reader) == .failure(error))
        // What follows is dropped, whatever it is.
        reader.append("junk".utf8)
        #expect(reader.progress.documentsLoaded == 1)
        #expect(Self.finished(reader) == .failure(error))
        #expect(error.description == "The bundle promises 1 documents and holds 2 or more.")
    }

    @Test(arguments: [1, 2, 7, 64, 1_000])
    func `it does not matter where the parts are cut`(size: Int) throws {
        let whole = Self.elements.flatMap(Self.bytes)
        var reader = BundleReader(database: Self.database)
        var last = 0
        for start in stride(from: 0, to: whole.count, by: size) {
            reader.append(whole[start..<min(start + size, whole.count)])
            #expect(reader.progress.documentsLoaded >= last)
            last = reader.progress.documentsLoaded
        }
        #expect(last == 3)
        #expect(try reader.finish() == BundleReader.read(whole, database: Self.database))
    }

    @Test(arguments: [
        "", "12", "{", "x", "0{}", "3[1]", "99999999999999999999999{}", "2{}2{}", "\u{1F}\u{8B}",
    ])
    func `what is no bundle counts nothing, and is refused alike however the parts are cut`(
        text: String
    ) {
        var reader = BundleReader(database: Self.database)
        for byte in text.utf8 { reader.append(CollectionOfOne(byte)) }
        #expect(reader.progress.documentsLoaded == 0)
        #expect(reader.progress.totalDocuments == 0)
        var whole = BundleReader(database: Self.database)
        whole.append(text.utf8)
        #expect(Self.finished(reader) == Self.finished(whole))
        guard case .failure = Self.finished(reader) else {
            Issue.record("\(text) was taken for a bundle")
            return
        }
    }

    @Test func `an element longer than any document could be is refused by its length alone`() {
        let length = BundleReader.elementByteCountMax + 1
        var reader = BundleReader(database: Self.database)
        reader.append(Self.bytes(Self.elements[0]))
        let offset = Self.bytes(Self.elements[0]).count
        reader.append("\(length){".utf8)
        #expect(throws: BundleError.tooLong(offset: offset, byteCountMax: length - 1)) {
            try reader.finish()
        }
    }

    @Test func `a compressed bundle is known by its first two bytes, one at a time`() {
        var reader = BundleReader(database: Self.database)
        for byte in [0x1F, 0x8B, 8] as [UInt8] { reader.append(CollectionOfOne(byte)) }
        #expect(throws: BundleError.compressed) { try reader.finish() }
    }
}
