import HearthModel
import HearthProtocol
import SwiftProtobuf
import Testing

/// The quick road must lead where the generated messages lead.
struct DocumentBytesTests {
    @Test(arguments: 0..<400 as Range<UInt64>)
    func `both roads write the same bytes and read the same document`(seed: UInt64) throws {
        var random = Seeded(seed)
        let document = Document.found(
            random.key(), at: random.pick([.zero, random.version()]),
            random.fields(pending: true), createdAt: random.pick([.zero, random.version()]))
        let bytes = try Samples.local.documentBytes(document)
        #expect(bytes == FirestoreCodec.bytes(of: try Samples.local.encode(document)))
        let slow = try Samples.local.decode(
            try FirestoreCodec.read(ProtoDocument.self, from: bytes))
        let quick = try Samples.local.document(fromBytes: bytes)
        #expect(quick == slow)
        #expect(quick == document)
        #expect(quick.createdAt == document.createdAt)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `only the fields that are asked for are read`(seed: UInt64) throws {
        var random = Seeded(seed)
        let fields = random.fields()
        let document = Document.found(random.key(), at: random.version(), fields)
        let bytes = try Samples.wire.documentBytes(document)
        let names = fields.entries.map(\.key).filter { _ in random.flag() } + ["absent"]
        let wanted = MapValue(
            entries: fields.entries.filter { entry in
                names.contains { utf8Equals($0, entry.key) }
            })
        let selection = FieldSelection(names.map { FieldPath([$0, "below"]) })
        let read = try bytes.withUnsafeBytes {
            try Samples.wire.fields(selection, ofDocumentBytes: $0)
        }
        #expect(read == wanted)
    }

    @Test func `a known key is believed, and the name is not read`() throws {
        let other = try Samples.key("x/y")
        let read = try Samples.wire.document(fromBytes: GoldenBytes.document, key: other)
        #expect(read.key == other)
        #expect(read.fields.count == 11)
    }

    @Test func `a document cut short anywhere is refused or read, never a crash`() throws {
        for count in 0..<GoldenBytes.document.count {
            let bytes = Array(GoldenBytes.document[..<count])
            _ = try? Samples.wire.document(fromBytes: bytes)
        }
        #expect(throws: CodecError.self) {
            try Samples.wire.document(fromBytes: Array(GoldenBytes.document.dropLast()))
        }
    }

    @Test func `a text that is no UTF-8 is refused`() throws {
        let document = Document.found(
            try Samples.key("a/b"), at: .zero, ["f": .string("quite é long a text")])
        var bytes = try Samples.wire.documentBytes(document)
        let index = try #require(bytes.firstIndex(of: 0xC3))
        bytes[index] = 0xFF
        #expect(throws: CodecError.self) { try Samples.wire.document(fromBytes: bytes) }
    }

    @Test func `fields that nobody knows are passed over`() throws {
        let document = Document.found(try Samples.key("a/b"), at: .zero, ["f": .integer(1)])
        var bytes = try Samples.wire.documentBytes(document)
        bytes += [0x78, 0x05]  // 15: a varint
        bytes += [0x79, 1, 2, 3, 4, 5, 6, 7, 8]  // 15: eight bytes
        bytes += [0x7D, 1, 2, 3, 4]  // 15: four bytes
        bytes += [0x7A, 2, 9, 9]  // 15: length-delimited
        #expect(try Samples.wire.document(fromBytes: bytes) == document)
    }

    @Test func `an error says in which field it lies`() throws {
        let document = Document.found(
            try Samples.key("a/b"), at: .zero, ["f": .map(["g": .array([.null])])])
        var proto = try Samples.wire.encode(document)
        proto.fields[0].value.mapValue.fields[0].value.arrayValue.values[0] = ProtoValue()
        let bytes = FirestoreCodec.bytes(of: proto)
        #expect(throws: CodecError(.missing, at: "f", "g", "0", "value_type")) {
            try Samples.wire.document(fromBytes: bytes)
        }
    }

    @Test func `watch messages are read alike on both roads`() throws {
        let golden = [
            GoldenBytes.change, GoldenBytes.deleted, GoldenBytes.removed, GoldenBytes.filter,
            GoldenBytes.current, GoldenBytes.refused,
        ]
        for bytes in golden {
            let slow = try Samples.wire.decode(
                try FirestoreCodec.read(ProtoListenResponse.self, from: bytes))
            let quick = try bytes.withUnsafeBytes { try Samples.wire.watchChange(fromBytes: $0) }
            #expect(quick == slow)
        }
        for nothing in [[], [0x1A, 0], [0x1A, 1]] as [[UInt8]] {
            #expect(throws: CodecError.self) {
                try nothing.withUnsafeBytes { try Samples.wire.watchChange(fromBytes: $0) }
            }
        }
    }

    @Test func `the targets of a document that cannot be read are found, and its name`() throws {
        var proto = ProtoListenResponse()
        proto.documentChange.document.name = "somebody's"
        var field = ProtoFieldsEntry()
        field.key = "later"
        proto.documentChange.document.fields = [field]
        func unread() throws -> UnreadDocument? {
            let bytes: [UInt8] = try proto.serializedBytes()
            return bytes.withUnsafeBytes { Samples.wire.unreadDocument(fromBytes: $0) }
        }
        #expect(try unread() == nil, "No target is named")
        proto.documentChange.targetIds = [2, 6]
        proto.documentChange.removedTargetIds = [4]
        #expect(try unread()?.targets == [2, 6, 4].map { WireTargetID($0) })
        #expect(try unread()?.name == "somebody's")
        proto.filter.count = 1
        #expect(try unread() == nil, "It is about no document")
    }
}
