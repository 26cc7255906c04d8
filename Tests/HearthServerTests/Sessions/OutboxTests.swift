import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import Testing

struct OutboxTests {
    private let codec = WireCodec(database: DatabaseID(project: "demo"))
    private let hall = Rooms.document("hall", 1)
    private let attic = Rooms.document("attic", 2)

    /// Everything that an outbox would write, decoded.
    private func drain(_ outbox: inout Outbox) throws -> [(number: UInt64, event: Event)] {
        var events: [(UInt64, Event)] = []
        while let frame = outbox.next(codec) {
            events.append((frame.request, try codec.event(frame)))
        }
        return events
    }

    private func snapshot(_ event: Event?) throws -> Event.Snapshot {
        guard case .snapshot(let snapshot)? = event else {
            throw HearthError(code: .internalError, message: "\(String(describing: event))")
        }
        return snapshot
    }

    @Test func `a listener that keeps up is told differences`() throws {
        var outbox = Outbox()
        outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(1, base: nil, [hall])), to: 4)
        let first = try snapshot(try drain(&outbox).first?.event)
        #expect(first.base == nil)
        #expect(first.documents.map(\.document) == [hall])
        outbox.append(
            snapshot: SharedSnapshot(
                Rooms.snapshot(
                    2, base: 1, [attic, hall], changes: [DocumentChange(.added, attic)])), to: 4)
        let second = try snapshot(try drain(&outbox).first?.event)
        #expect(second.base == 1)
        #expect(second.documents.map(\.document) == [attic])
    }

    /// A view of as many rooms as `numbers` has, after the room of a number has changed.
    private func change(
        _ id: UInt64, of room: Int64, among numbers: Range<Int64>
    ) -> SharedSnapshot {
        let rooms = numbers.map { Rooms.document("r\($0)", $0 == room ? Int64(id) : 0) }
        let changed = Rooms.document("r\(room)", Int64(id))
        return SharedSnapshot(
            Rooms.snapshot(
                id, base: id - 1, rooms, changes: [DocumentChange(.modified, changed)]))
    }

    @Test func `a listener that is a little late is told each difference, in order`() throws {
        var outbox = Outbox()
        for id: UInt64 in 2...9 {
            outbox.append(snapshot: change(id, of: Int64(id), among: 0..<100), to: 4)
        }
        let told = try drain(&outbox).map { try snapshot($0.event) }
        #expect(told.map(\.id) == Array(2...9))
        #expect(told.map(\.base) == Array(1...8))
        #expect(told.allSatisfy { $0.documents.count == 1 })
        #expect(outbox.byteCount == 0)
    }

    @Test func `many differences become few, which lead to the same`() throws {
        var outbox = Outbox()
        var rooms = (0..<500).map { Rooms.document("r\($0)", 0) }
        var shown = Dictionary(uniqueKeysWithValues: rooms.map { ($0.key, $0) })
        for id: UInt64 in 2...301 {
            // A room in three is gone the next time, and comes back later.
            let place = Int(id) * 7 % rooms.count
            let change: DocumentChange
            if id.isMultiple(of: 3) {
                change = DocumentChange(.removed, rooms.remove(at: place))
            } else {
                rooms[place] = Rooms.document(rooms[place].key.documentID, Int64(id))
                change = DocumentChange(.modified, rooms[place])
            }
            outbox.append(
                snapshot: SharedSnapshot(
                    Rooms.snapshot(id, base: id - 1, rooms, changes: [change])), to: 4)
        }
        let told = try drain(&outbox).map { try snapshot($0.event) }
        #expect(told.count <= 33)
        #expect(told.first?.base == 1)
        #expect(told.dropFirst().map(\.base) == told.dropLast().map(\.id))
        #expect(told.last?.id == 301)
        for difference in told {
            for key in difference.removed { shown[key] = nil }
            for listed in difference.documents { shown[listed.document.key] = listed.document }
        }
        #expect(shown == Dictionary(uniqueKeysWithValues: rooms.map { ($0.key, $0) }))
        #expect(outbox.byteCount == 0)
    }

    @Test func `a difference behind a waiting whole state is told behind it`() throws {
        var outbox = Outbox()
        let rooms = (0..<10).map { Rooms.document("r\($0)", 0) }
        outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(1, base: nil, rooms)), to: 4)
        outbox.append(snapshot: change(2, of: 3, among: 0..<10), to: 4)
        outbox.append(try codec.frame(of: .inSync, number: 5))
        let events = try drain(&outbox)
        #expect(events.map(\.number) == [4, 4, 5])
        let told = try events.prefix(2).map { try snapshot($0.event) }
        #expect(told.map(\.base) == [nil, 1])
        #expect(told.map(\.documents.count) == [10, 1])
    }

    @Test func `differences that came before an answer are told before it`() throws {
        var outbox = Outbox()
        outbox.append(snapshot: change(2, of: 1, among: 0..<10), to: 4)
        outbox.append(try codec.frame(of: .done, number: 5))
        outbox.append(snapshot: change(3, of: 2, among: 0..<10), to: 4)
        let first = outbox.next(codec)
        #expect(first?.request == 4)
        outbox.append(snapshot: change(4, of: 3, among: 0..<10), to: 4)
        #expect(try drain(&outbox).map(\.number) == [4, 4, 5])
    }

    @Test func `a listener that has fallen behind gets one whole state, the latest`() throws {
        var outbox = Outbox()
        outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(1, base: nil, [hall])), to: 4)
        outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(2, base: 1, [])), to: 4)
        outbox.append(
            snapshot: SharedSnapshot(
                Rooms.snapshot(3, base: 2, [attic], changes: [DocumentChange(.added, attic)])),
            to: 4)
        outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(4, base: 3, [attic])), to: 4)
        let events = try drain(&outbox)
        #expect(events.map(\.number) == [4])
        let last = try snapshot(events.first?.event)
        #expect(last.id == 4)
        #expect(last.base == nil)
        #expect(last.documents.map(\.document) == [attic])
    }

    @Test func `differences that name more documents than the view has give way to the whole`()
        throws
    {
        var outbox = Outbox()
        for id: UInt64 in 2...6 {
            outbox.append(snapshot: change(id, of: 1, among: 0..<4), to: 4)
        }
        let told = try drain(&outbox).map { try snapshot($0.event) }
        #expect(told.map(\.id) == [6])
        #expect(told.map(\.base) == [nil])
        #expect(told.first?.documents.count == 4)
        #expect(outbox.byteCount == 0)
        outbox.append(snapshot: change(7, of: 1, among: 0..<4), to: 4)
        #expect(try drain(&outbox).map { try snapshot($0.event).base } == [6])
    }

    @Test func `the waiting bytes of differences are bounded`() throws {
        var outbox = Outbox()
        let text = Value.string(String(repeating: "x", count: 900_000))
        let version = SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0))
        let rooms = (0..<100).map { Rooms.document("r\($0)", 0) }
        for id: UInt64 in 2...11 {
            let large = Document.found(
                try DocumentKey(parsing: "rooms/r1"), at: version, ["text": text])
            let change = DocumentChange(.modified, id < 11 ? large : rooms[1])
            outbox.append(
                snapshot: SharedSnapshot(
                    Rooms.snapshot(id, base: id - 1, rooms, changes: [change])), to: 4)
            #expect(outbox.byteCount < 5_000_000)
        }
        let told = try drain(&outbox).map { try snapshot($0.event) }
        #expect(told.first?.base == nil)
        #expect(told.last?.id == 11)
        #expect(zip(told, told.dropFirst()).allSatisfy { $0.id == $1.base })
    }

    @Test func `a view that begins anew takes the place of what waits`() throws {
        var outbox = Outbox()
        let error = HearthError(code: .permissionDenied, message: "No.")
        for id: UInt64 in 2...4 {
            var next = change(id, of: 1, among: 0..<9).snapshot
            next.rejectedWrites = [RejectedWrite(BatchID(Int64(id)), error)]
            outbox.append(snapshot: SharedSnapshot(next), to: 4)
        }
        outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(1, base: nil, [hall])), to: 4)
        let told = try drain(&outbox).map { try snapshot($0.event) }
        #expect(told.map(\.id) == [1])
        #expect(told.first?.documents.map(\.document) == [hall])
        #expect(told.first?.flags.rejectedWrites.map(\.batch.rawValue) == [2, 3, 4])
        #expect(outbox.byteCount == 0)
    }

    @Test func `each difference tells its own rejections, and the whole those of all`() throws {
        let error = HearthError(code: .permissionDenied, message: "No.")
        func told(_ ids: ClosedRange<UInt64>, among rooms: Range<Int64>) throws -> [[Int64]] {
            var outbox = Outbox()
            for id in ids {
                var next = change(id, of: 1, among: rooms).snapshot
                if id < ids.upperBound {
                    next.rejectedWrites = [RejectedWrite(BatchID(Int64(id)), error)]
                }
                outbox.append(snapshot: SharedSnapshot(next), to: 4)
            }
            return try drain(&outbox).map {
                try snapshot($0.event).flags.rejectedWrites.map(\.batch.rawValue)
            }
        }
        #expect(try told(2...4, among: 0..<9) == [[2], [3], []])
        #expect(try told(2...7, among: 0..<2) == [[2, 3, 4, 5, 6]])
    }

    @Test func `replies are never coalesced and keep their order`() throws {
        var outbox = Outbox()
        for number in UInt64(1)...3 { outbox.append(try codec.frame(of: .done, number: number)) }
        outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(1, base: nil, [hall])), to: 9)
        outbox.append(try codec.frame(of: .inSync, number: 4))
        #expect(try drain(&outbox).map(\.number) == [1, 2, 3, 9, 4])
        #expect(outbox.isEmpty)
    }

    @Test func `too many unread replies make it overfull, snapshots never do`() throws {
        var limits = SessionLimits()
        limits.unreadReplyCountMax = 2
        var outbox = Outbox(limits: limits)
        for id in UInt64(1)...100 {
            outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(id, base: nil, [hall])), to: 9)
        }
        for number in UInt64(1)...2 { outbox.append(try codec.frame(of: .done, number: number)) }
        #expect(!outbox.isOverfull)
        outbox.append(try codec.frame(of: .done, number: 3))
        #expect(outbox.isOverfull)
        _ = try drain(&outbox)
        #expect(!outbox.isOverfull)
    }

    @Test func `what waits for a listener that ended is forgotten`() throws {
        var outbox = Outbox()
        outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(1, base: nil, [hall])), to: 4)
        outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(1, base: nil, [hall])), to: 5)
        outbox.removeNews(of: 4)
        #expect(try drain(&outbox).map(\.number) == [5])
    }

    @Test func `one snapshot is encoded once for all its listeners`() throws {
        let shared = SharedSnapshot(Rooms.snapshot(1, base: nil, [hall]))
        let first = try shared.frame(0, of: .difference, codec)
        let second = try shared.frame(0, of: .whole, codec)
        #expect(first == second)
        #expect(first?.isLast == true)
        #expect(try shared.frame(1, of: .whole, codec) == nil)
        var outbox = Outbox()
        outbox.append(snapshot: shared, to: 4)
        outbox.append(snapshot: shared, to: 5)
        #expect(try drain(&outbox).map(\.number) == [4, 5])
    }

    @Test func `a large snapshot is encoded frame by frame, once for all`() throws {
        let text = Value.string(String(repeating: "x", count: 900_000))
        let version = SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0))
        let rooms = try (1...5).map { number in
            let key = try DocumentKey(parsing: "rooms/r\(number)")
            return Document.found(key, at: version, ["text": text])
        }
        let shared = SharedSnapshot(Rooms.snapshot(1, base: nil, rooms))
        var (first, second) = (Outbox(), Outbox())
        first.append(snapshot: shared, to: 4)
        second.append(snapshot: shared, to: 7)
        let frame = first.next(codec)
        #expect(frame?.body.count ?? .max < 1_000_000)
        let same = second.next(codec)
        #expect(same?.body == frame?.body)
        #expect(!first.isEmpty)
        let parts = try drain(&first).map { try snapshot($0.event) }
        #expect(parts.map(\.hasMore) == [true, true, true, false])
    }

    @Test func `a session that ends writes what it owes, and no snapshots`() throws {
        var outbox = Outbox()
        outbox.append(snapshot: SharedSnapshot(Rooms.snapshot(1, base: nil, [hall])), to: 4)
        outbox.append(try codec.frame(of: .done, number: 5))
        outbox.removeNews()
        #expect(try drain(&outbox).map(\.number) == [5])
        #expect(outbox.isEmpty)
    }

    @Test func `documents of which only a flag changed are told too`() throws {
        var outbox = Outbox()
        var picture = Rooms.snapshot(2, base: 1, [hall, attic])
        picture.refreshed = [hall.key]
        outbox.append(snapshot: SharedSnapshot(picture), to: 4)
        let told = try snapshot(try drain(&outbox).first?.event)
        #expect(told.documents.map(\.document.key) == [hall.key])
    }

    @Test func `answers that wait unread count, and one of any size may wait`() throws {
        var limits = SessionLimits()
        limits.unreadByteCountMax = 2_000
        var outbox = Outbox(limits: limits)
        let large = Rooms.snapshot(1, base: nil, (0..<100).map { Rooms.document("d\($0)", 1) })
        let isTaken = outbox.append(answer: SharedSnapshot(large), to: 2)
        #expect(isTaken)
        #expect(outbox.byteCount > 2_000)
        #expect(!outbox.isOverfull)
        let small = SharedSnapshot(Rooms.snapshot(1, base: nil, [hall]))
        let isSecondTaken = outbox.append(answer: small, to: 3)
        #expect(!isSecondTaken)
        #expect(try drain(&outbox).map(\.number) == [2])
        #expect(outbox.byteCount == 0)
        for number in UInt64(4)...5 {
            let isTaken = outbox.append(answer: small, to: number)
            #expect(isTaken)
        }
        #expect(try drain(&outbox).map(\.number) == [4, 5])
    }

    @Test func `snapshots that wait count until they are written, replaced or forgotten`() throws {
        var outbox = Outbox()
        let one = SharedSnapshot(Rooms.snapshot(1, base: nil, [hall]))
        let two = SharedSnapshot(Rooms.snapshot(2, base: 1, [hall, attic]))
        outbox.append(snapshot: one, to: 4)
        let first = outbox.byteCount
        #expect(first > 0)
        outbox.append(snapshot: two, to: 4)
        #expect(outbox.byteCount > first)
        let difference = two.differenceByteCount
        #expect(outbox.byteCount == first + difference)
        outbox.append(snapshot: one, to: 5)
        outbox.removeNews(of: 4)
        #expect(outbox.byteCount == first)
        _ = try drain(&outbox)
        #expect(outbox.byteCount == 0)
    }
}
