import HearthFirestore
import HearthModel
import Testing

struct BundlePartsTests {
    private static let elements = [
        #"{"metadata": {"id": "b", "createTime": "2026-01-01T00:00:00Z", "version": 1, "#
            + #""totalDocuments": 3, "totalBytes": 500}}"#,
        #"{"documentMetadata": {"name": "projects/p/databases/d/documents/rooms/a", "exists": true}}"#,
        #"{"document": {"name": "projects/p/databases/d/documents/rooms/a", "fields": {}}}"#,
        #"{"documentMetadata": {"name": "projects/p/databases/d/documents/rooms/b"}}"#,
        #"{"namedQuery": {"name": "document"}}"#,
        #"{ "documentMetadata": {"exists": true, "name": "document"}}"#,
        #"{"document": {"name": "ä", "fields": {}}}"#,
    ]

    private static func bytes(_ element: String) -> [UInt8] {
        Array("\(element.utf8.count)\(element)".utf8)
    }

    @Test func `documents count as they come, missing ones too, and bytes without the first`() {
        var parts = BundleParts()
        #expect(parts.progress.documentsLoaded == 0)
        var documents: [Int] = []
        var loaded: [Int] = []
        for element in Self.elements {
            parts.append(Self.bytes(element))
            documents.append(parts.progress.documentsLoaded)
            loaded.append(parts.progress.bytesLoaded)
            #expect(parts.progress.totalDocuments == 3)
            #expect(parts.progress.totalBytes == 500)
        }
        #expect(documents == [0, 0, 1, 2, 2, 2, 3])
        let sizes = Self.elements.dropFirst().map { Self.bytes($0).count }
        #expect(loaded == sizes.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) })
        #expect(parts.bytes == Self.elements.flatMap(Self.bytes))
    }

    @Test(arguments: [1, 2, 7, 64, 1_000])
    func `it does not matter where the parts are cut`(size: Int) {
        let whole = Self.elements.flatMap(Self.bytes)
        var parts = BundleParts()
        var last = 0
        for start in stride(from: 0, to: whole.count, by: size) {
            parts.append(whole[start..<min(start + size, whole.count)])
            #expect(parts.progress.documentsLoaded >= last)
            last = parts.progress.documentsLoaded
        }
        #expect(last == 3)
        #expect(parts.bytes == whole)
    }

    @Test(arguments: ["", "12", "{", "x", "0{}", "3[1]", "99999999999999999999999{}", "2{}2{}"])
    func `what is no bundle counts nothing`(text: String) {
        var parts = BundleParts()
        parts.append(text.utf8)
        #expect(parts.progress.documentsLoaded == 0)
        #expect(parts.progress.totalDocuments == 0)
        #expect(parts.bytes == Array(text.utf8))
    }
}
