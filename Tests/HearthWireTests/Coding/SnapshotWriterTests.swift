import HearthModel
import HearthProtocol
import HearthWire
import Testing

struct SnapshotWriterTests {
    @Test func `documents that are bytes already are carried undecoded`() throws {
        let document = try Samples.document("rooms/hall", Samples.everyValue)
        let bytes = try FirestoreCodec(database: Samples.database, mode: .local)
            .documentBytes(document)
        var writer = SnapshotWriter.answer()
        writer.append(documentBytes: bytes, hasPendingWrites: true)
        let flags = Event.SnapshotFlags(
            isFromCache: true, hasPendingWrites: true, excludesMetadataChanges: false)
        let frames = writer.finish(flags, number: 9)
        #expect(frames.map(\.request) == [9])
        let expected = Event.Snapshot(
            id: 1, base: nil,
            documents: [Event.ListedDocument(document, hasPendingWrites: true)], flags: flags)
        #expect(try frames.map(Samples.codec.event) == [.answer(expected)])
    }

    @Test func `an empty snapshot is one frame`() throws {
        let event = Event.snapshot(try Samples.snapshot(documents: []))
        let frames = try Samples.codec.frames(of: event)
        #expect(try frames.map(Samples.codec.event) == [event])
    }

    @Test func `what one frame holds is the same as the plain message`() throws {
        let event = Event.snapshot(try Samples.snapshot(base: 3))
        #expect(try Samples.codec.frames(of: event).map(Samples.codec.event) == [event])
    }

    @Test(arguments: [1, 100, 300, 1_000])
    func `a large snapshot comes in parts that add up to it`(partByteCountMax: Int) throws {
        let listed = try (0..<30).map { number in
            Event.ListedDocument(
                try Samples.document("rooms/\(number)"), hasPendingWrites: number % 3 == 0)
        }
        let whole = try Samples.snapshot(base: 2, documents: listed)
        let frames = try Samples.codec.frames(
            of: .snapshot(whole), number: 4, partByteCountMax: partByteCountMax)
        #expect(frames.count > 1)
        var sum: Event.Snapshot?
        for frame in frames {
            #expect(frame.request == 4)
            guard case .snapshot(let part) = try Samples.codec.event(frame) else {
                Issue.record("Another event came out")
                return
            }
            if sum == nil { sum = part } else { sum?.append(part) }
        }
        #expect(sum == whole)
    }

    @Test func `only snapshots and long lists ever become many frames`() throws {
        for event in try Samples.events() {
            if case .pins(_, hasMore: true) = event { continue }  // A part of a list already.
            let frames = try Samples.codec.frames(of: event, number: 2)
            #expect(frames.count == 1)
            #expect(try frames.map(Samples.codec.event) == [event])
        }
    }
}
