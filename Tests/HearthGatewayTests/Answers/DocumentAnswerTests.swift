import HearthModel
import HearthProtocol
import HearthRPC
import SwiftProtobuf
import Testing

@testable import HearthGateway

/// Documents and times as clients see them.
struct DocumentAnswerTests {
    private static let database = DatabaseID(project: "demo")
    private let key = DocumentKey(literal: "rooms/hall")

    private func time(_ microseconds: Int64) -> SnapshotVersion {
        SnapshotVersion(Timestamp(microseconds: microseconds))
    }

    private func read(_ bytes: [UInt8]) throws -> ProtoDocument {
        try FirestoreCodec.read(ProtoDocument.self, from: bytes)
    }

    private func pending(_ fields: MapValue, promisedAt microseconds: Int64) -> Document {
        var document = Document.found(key, at: time(5), fields, createdAt: time(3))
        document.markLocalMutations()
        document.promisedAt = Timestamp(promising: microseconds)
        return document
    }

    @Test func `a document that waits has its promise for an update time`() throws {
        let shown = pending(["n": .integer(1)], promisedAt: 9).answer()
        #expect(shown.version.timestamp == Timestamp(seconds: 0, nanoseconds: 9_001))
        #expect(shown.createdAt == time(3))
        let real = Document.found(key, at: time(5), ["n": .integer(1)], createdAt: time(3))
        #expect(real.answer() == real)
        #expect(Document.found(key, at: time(5), .empty).answer().createdAt == time(5))
    }

    @Test func `a server timestamp that is not known yet is the promise`() throws {
        let unknown = Value.serverTimestamp(
            PendingServerTimestamp(
                localWriteTime: Timestamp(microseconds: 7), previousValue: .integer(1)))
        let document = pending(
            ["at": unknown, "deep": .map(["all": .array([unknown, .null])])], promisedAt: 9)
        let known = Value.timestamp(Timestamp(microseconds: 9))
        #expect(
            document.answer().fields
                == ["at": known, "deep": .map(["all": .array([known, .null])])])
    }

    @Test func `a mask keeps the fields that it names`() throws {
        let document = Document.found(
            key, at: time(5), ["a": .map(["b": .integer(1), "c": .integer(2)]), "d": .null])
        let codec = FirestoreCodec(database: Self.database)
        let kept = try codec.decode(
            read(codec.answerBytes(document, [FieldPath(["a", "b"]), FieldPath(["x"])])))
        #expect(kept.fields == ["a": .map(["b": .integer(1)])])
        #expect(try read(codec.answerBytes(document, [])).fields.isEmpty)
    }

    @Test func `equal documents are encoded once, and another state is another document`() throws {
        let bytes = DocumentBytes(byteCountMax: 1_000)
        let old = Document.found(key, at: time(5), ["n": .integer(1)], createdAt: time(3))
        let new = Document.found(key, at: time(6), ["n": .integer(2)], createdAt: time(3))
        for document in [old, new, old, new, pending(["n": .integer(3)], promisedAt: 6)] {
            let message = try read(bytes.bytes(of: document, in: Self.database))
            #expect(message.fields.first?.value.integerValue == document.fields["n"]?.number)
        }
        // Many other documents push this document out, and it is encoded anew.
        for count in 0..<100 {
            let other = Document.found(
                DocumentKey(literal: "rooms/\(count)"), at: time(5), ["n": .integer(1)])
            _ = try bytes.bytes(of: other, in: Self.database)
        }
        #expect(try read(bytes.bytes(of: old, in: Self.database)).updateTime.nanos == 5_000)
    }

    @Test func `marks are below a microsecond, and in headers`() {
        let heard = Timestamp(seconds: 1, nanoseconds: 5_999)
        let all = Marks(hasPendingWrites: true, isFromCache: true)
        #expect(all.marked(heard) == Timestamp(seconds: 1, nanoseconds: 5_003))
        #expect(Marks(hasPendingWrites: true, isFromCache: false).digits == 1)
        #expect(Marks(hasPendingWrites: false, isFromCache: true).digits == 2)
        let none = Marks(hasPendingWrites: false, isFromCache: false)
        #expect(none.marked(heard) == Timestamp(seconds: 1, nanoseconds: 5_000))
        #expect(none.metadata(asOf: heard).isEmpty)
        #expect(all.metadata(asOf: heard)["hearth-as-of"] == "1970-01-01T00:00:01.000005Z")
    }

    @Test func `no document is newer than the read time, and no read time is zero`() {
        let marks = Marks(hasPendingWrites: true, isFromCache: true)
        let newer = pending(.empty, promisedAt: 9)
        #expect(
            marks.readTime(heard: time(7), showing: [newer])
                == Timestamp(seconds: 0, nanoseconds: 9_003))
        #expect(
            marks.readTime(heard: .zero, showing: EmptyCollection<Document>())
                == Timestamp(seconds: 0, nanoseconds: 1_003))
    }
}

extension Value {
    fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
}

extension DocumentKey {
    fileprivate init(literal path: String) {
        guard let key = try? DocumentKey(parsing: path) else {
            preconditionFailure("\(path) is no document's path")
        }
        self = key
    }
}
