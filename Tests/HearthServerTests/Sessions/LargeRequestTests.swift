import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import Testing

/// Frames that are too large to be read on an event loop.
struct LargeRequestTests {
    private static let stranger = Peer(uid: 4_294_000_000, gid: 1, pid: 1)

    private func frame(_ count: Int) throws -> Frame {
        let names = try (0..<count).map { try DocumentKey(parsing: "rooms/\($0)") }
        return try WireCodec(database: Spoken.database)
            .frame(of: .firestore(.readDocuments(names)), number: 2)
    }

    @Test func `a small frame is read at once, and a large one aside with the same result`() throws
    {
        let small = try frame(3)
        var spoken = Spoken.open()
        #expect(
            spoken.machine.reading(kind: small.kind, number: 2, byteCount: small.body.count) == nil)

        let large = try frame(2_000)
        let started = spoken.machine.reading(
            kind: large.kind, number: 2, byteCount: large.body.count)
        let reading = try #require(started)
        let outcome = reading.read(kind: large.kind, body: large.body.span.bytes)
        let aside = spoken.machine.received(outcome, number: 2)
        var other = Spoken.open()
        let atOnce = other.machine.received(
            kind: large.kind, number: 2, body: large.body.span.bytes)
        #expect(aside == atOnce)
        #expect(aside.count == 1)
        #expect(spoken.machine.heldByteCount == other.machine.heldByteCount)
    }

    @Test func `what is no request fails alone when it is read aside`() throws {
        var spoken = Spoken.open()
        let noise = [UInt8](repeating: 0xFF, count: 40_000)
        let started = spoken.machine.reading(kind: 12, number: 2, byteCount: noise.count)
        let reading = try #require(started)
        let outcome = reading.read(kind: 12, body: noise.span.bytes)
        #expect(
            Spoken.failures(spoken.machine.received(outcome, number: 2))
                == ["2: INVALID_ARGUMENT"])
    }

    @Test func `rights that change while a frame is read aside count`() throws {
        var spoken = Spoken.open(peer: Self.stranger)
        let large = try frame(2_000)
        let started = spoken.machine.reading(
            kind: large.kind, number: 2, byteCount: large.body.count)
        let reading = try #require(started)
        let outcome = reading.read(kind: large.kind, body: large.body.span.bytes)
        _ = spoken.machine.reconfigure(
            access: .closed, limits: SessionLimits(listenerCountMax: 2, requestCountMax: 2))
        #expect(
            Spoken.failures(spoken.machine.received(outcome, number: 2))
                == ["2: PERMISSION_DENIED"])
    }

    @Test func `a program without any right is refused before its frame is read`() throws {
        var spoken = Spoken.open(peer: Self.stranger)
        _ = spoken.machine.reconfigure(
            access: .closed, limits: SessionLimits(listenerCountMax: 2, requestCountMax: 2))
        let noise = [UInt8](repeating: 0xFF, count: 40_000)
        #expect(spoken.machine.reading(kind: 12, number: 2, byteCount: noise.count) == nil)
        #expect(
            Spoken.failures(spoken.machine.received(kind: 12, number: 2, body: noise.span.bytes))
                == ["2: PERMISSION_DENIED"])
        #expect(spoken.machine.received(.session(.ping), number: 3) == [.reply(.done, 3)])
    }

    @Test func `a first frame that is larger than any Hello ends the session unread`() {
        var spoken = Spoken()
        let noise = [UInt8](repeating: 0xFF, count: 40_000)
        #expect(
            Spoken.failures(spoken.machine.received(kind: 1, number: 1, body: noise.span.bytes))
                == ["end: INVALID_ARGUMENT"])
    }
}
