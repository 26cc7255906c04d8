import HearthModel
import HearthProtocol
import HearthWire
import Testing

/// What is read of an answer's bytes, and what is not.
struct EncodedAnswerTests {
    private func answer(_ bytes: [UInt8], isPending: Bool = false) throws -> EncodedAnswer {
        var writer = SnapshotWriter.answer()
        writer.append(documentBytes: bytes, hasPendingWrites: isPending)
        let flags = Event.SnapshotFlags(
            isFromCache: true, hasPendingWrites: isPending, excludesMetadataChanges: false)
        let frame = try #require(writer.finish(flags).first)
        return try #require(EncodedAnswer(frame.body))
    }

    @Test func `a document, one value and the times are what was written`() throws {
        let document = try Samples.document("rooms/hall", ["n": .integer(7), "text": .string("x")])
        let codec = FirestoreCodec(database: Samples.database)
        let answer = try answer(try codec.documentBytes(document))
        #expect(answer.exists && answer.isFromCache && !answer.hasPendingWrites)
        #expect(answer.document(document.key, Samples.codec)?.content == document.content)
        #expect(answer.value(at: FieldPath(["n"]), Samples.codec) == .integer(7))
        #expect(answer.value(at: FieldPath(["none"]), Samples.codec) == nil)
        let outline = try #require(answer.outline(document.key, Samples.codec))
        #expect(outline.version == document.version && outline.fields.isEmpty)
        let pending = try self.answer(try codec.documentBytes(document), isPending: true)
        #expect(pending.outline(document.key, Samples.codec)?.hasPendingWrites == true)
    }

    @Test func `a field that is not asked for is not read, though nobody could read it`() throws {
        let document = try Samples.document("rooms/hall", ["n": .integer(7)])
        let codec = FirestoreCodec(database: Samples.database)
        // An entry of `fields` whose value is a number without its digits.
        let unreadable: [UInt8] = [0x12, 0x06, 0x0A, 0x01, 0x7A, 0x12, 0x01, 0x10]
        let answer = try answer(try codec.documentBytes(document) + unreadable)
        #expect(answer.document(document.key, Samples.codec) == nil)
        #expect(answer.outline(document.key, Samples.codec)?.version == document.version)
        #expect(answer.value(at: FieldPath(["n"]), Samples.codec) == .integer(7))
    }
}
