import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

/// A request's database is found as whoever reads the whole request finds it.
struct RequestDatabaseTests {
    private static let shop = DatabaseID(project: "shop", database: "orders")

    private func database(
        of request: some Message, isInDocument: Bool = false
    ) throws -> DatabaseID {
        let bytes: [UInt8] = try request.serializedBytes()
        return try bytes.withUnsafeBytes {
            try RequestDatabase.read($0, isInDocument: isInDocument)
        }
    }

    @Test func `a database, a parent and a document's name tell the database`() throws {
        let commit = ProtoCommitRequest.with {
            $0.database = Self.shop.name
        }
        #expect(try database(of: commit) == Self.shop)
        let query = ProtoRunQueryRequest.with {
            $0.parent = Self.shop.documentsName + "/rooms/hall"
        }
        #expect(try database(of: query) == Self.shop)
        let get = ProtoGetDocumentRequest.with { $0.name = Self.shop.documentsName + "/rooms/hall" }
        #expect(try database(of: get) == Self.shop)
        let update = ProtoUpdateDocumentRequest.with {
            $0.document.name = Self.shop.documentsName + "/rooms/hall"
        }
        #expect(try database(of: update, isInDocument: true) == Self.shop)
    }

    @Test func `a request has at most 100,000 fields, and a document in it as many as fit`() throws
    {
        let name = [UInt8(0x0A), UInt8(Self.shop.name.utf8.count)] + Array(Self.shop.name.utf8)
        func request(fieldCount: Int) -> [UInt8] {
            name + Array(repeatElement([0x12, 0] as [UInt8], count: fieldCount - 1).joined())
        }
        func read(_ bytes: [UInt8], isInDocument: Bool = false) throws -> DatabaseID {
            try bytes.withUnsafeBytes { try RequestDatabase.read($0, isInDocument: isInDocument) }
        }
        #expect(try read(request(fieldCount: 100_000)) == Self.shop)
        let error = #expect(throws: HearthError.self) {
            try read(request(fieldCount: 100_001))
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("100000 fields") == true)
        let document = ProtoDocument.with { document in
            document.name = Self.shop.documentsName + "/rooms/hall"
            document.fields = (0..<100_001).map { number in
                .with {
                    $0.key = "\(number)"
                    $0.value.booleanValue = true
                }
            }
        }
        let update = ProtoUpdateDocumentRequest.with { $0.document = document }
        #expect(try database(of: update, isInDocument: true) == Self.shop)
    }

    @Test func `of two databases the last counts, as for whoever reads the request`() throws {
        let first = ProtoCommitRequest.with { $0.database = "projects/p/databases/d" }
        let last = ProtoCommitRequest.with { $0.database = Self.shop.name }
        let bytes: [UInt8] = try first.serializedBytes() + last.serializedBytes()
        #expect(try bytes.withUnsafeBytes { try RequestDatabase.read($0) } == Self.shop)
        #expect(try ProtoCommitRequest(serializedBytes: bytes).database == Self.shop.name)
    }

    @Test(arguments: [
        "", "projects", "projects//databases/d", "projects/p/databases/", "project/p/databases/d",
        "projects/p/database/d",
    ])
    func `what names no database is refused`(name: String) throws {
        let request = ProtoCommitRequest.with { $0.database = name }
        let error = #expect(throws: HearthError.self) { try database(of: request) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `bytes that are cut or made up are refused, and stop nothing`() throws {
        let request = ProtoCommitRequest.with { $0.database = Self.shop.name }
        let whole: [UInt8] = try request.serializedBytes()
        for count in whole.indices {
            let cut = Array(whole.prefix(count))
            let found = cut.withUnsafeBytes { try? RequestDatabase.read($0) }
            #expect(found == nil, "\(count)")
        }
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...whole.count, using: &generator)
            let bytes = generator.damaged(Array(whole.prefix(count)))
            let found = bytes.withUnsafeBytes { try? RequestDatabase.read($0) }
            guard let read = try? ProtoCommitRequest(serializedBytes: bytes), let found else {
                continue
            }
            #expect(read.database == found.name || read.database.hasPrefix(found.name + "/"))
        }
    }
}
