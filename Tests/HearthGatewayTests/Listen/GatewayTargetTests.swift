import HearthFirestore
import HearthModel
import Testing

@testable import HearthGateway

/// What a client is told of one target, and when.
struct GatewayTargetTests {
    private let id = WireTargetID(7)

    private func shape(_ rooms: WatchedRooms, offset: Int = 0) throws -> ListenShape {
        var query = rooms.query.target.structuredQuery
        query.offset = offset
        return try ListenShape(query)
    }

    private func opened(
        _ rooms: inout WatchedRooms, offset: Int = 0, isOnce: Bool = false
    ) throws -> ListenStream {
        var stream = ListenStream(epoch: 1, id: 1, at: .zero)
        stream.add(GatewayTarget(id, try shape(rooms, offset: offset), isOnce: isOnce))
        stream.received(rooms.whole(), of: 0, for: id)
        return stream
    }

    private func drain(
        _ stream: inout ListenStream, at now: Duration = .zero, isSettling: Bool = true
    ) -> [ListenMessage] {
        var messages: [ListenMessage] = []
        while let message = stream.next(at: now, isSettling: isSettling) {
            messages.append(message)
        }
        return messages
    }

    private func words(_ messages: [ListenMessage]) -> [String] {
        messages.flatMap { message -> [String] in
            switch message {
            case .added: ["ADD"]
            case .reset: ["RESET"]
            case .changed(let document, _, _): [document.key.documentID]
            case .told(let shared, _): shared.documents.map(\.key.documentID)
            case .deleted(let key, _, _): ["deleted \(key.documentID)"]
            case .removed(let key, _, _): ["removed \(key.documentID)"]
            case .current: ["CURRENT"]
            case .settled: ["NO_CHANGE"]
            case .alive: ["alive"]
            case .ended(_, nil): ["REMOVE"]
            case .ended(_, let error?): ["REMOVE \(error.code)"]
            }
        }
    }

    @Test func `a target begins with all, and goes on with what differs`() throws {
        var rooms = WatchedRooms()
        _ = rooms.commits("hall")
        var stream = try opened(&rooms)
        #expect(words(drain(&stream)) == ["ADD", "hall", "CURRENT", "NO_CHANGE"])
        stream.received(rooms.commits("attic"), of: 0, for: id)
        stream.received(rooms.commits("attic", 2), of: 0, for: id)
        #expect(words(drain(&stream)) == ["attic", "NO_CHANGE"])
        #expect(drain(&stream).isEmpty)
    }

    @Test func `a write that the backend answers soon is one event with its real time`() throws {
        var rooms = WatchedRooms()
        var stream = try opened(&rooms)
        _ = drain(&stream)
        stream.received(rooms.writes("hall"), of: 0, for: id)
        #expect(drain(&stream, at: .milliseconds(10)).isEmpty)
        #expect(stream.wakesAt == .milliseconds(260))
        stream.received(rooms.commits("hall"), of: 0, for: id)
        let messages = drain(&stream, at: .milliseconds(40))
        #expect(words(messages) == ["hall", "NO_CHANGE"])
        guard case .changed(let hall, _, _)? = messages.first else { return }
        #expect(hall.updateTime == Timestamp(microseconds: rooms.now))
        #expect(drain(&stream, at: .seconds(1)).isEmpty)
    }

    @Test func `a write that waits longer is shown, and again with its real time`() throws {
        var rooms = WatchedRooms()
        var stream = try opened(&rooms)
        _ = drain(&stream)
        stream.received(rooms.writes("hall"), of: 0, for: id)
        #expect(drain(&stream).isEmpty)
        #expect(words(drain(&stream, at: .milliseconds(250))) == ["hall", "NO_CHANGE"])
        stream.received(rooms.commits("hall"), of: 0, for: id)
        #expect(words(drain(&stream, at: .milliseconds(300))) == ["hall", "NO_CHANGE"])
    }

    @Test func `others' changes do not wait for a write that waits`() throws {
        var rooms = WatchedRooms()
        var stream = try opened(&rooms)
        _ = drain(&stream)
        stream.received(rooms.writes("hall"), of: 0, for: id)
        stream.received(rooms.commits("attic"), of: 0, for: id)
        #expect(words(drain(&stream)) == ["attic", "NO_CHANGE"])
        stream.received(rooms.commits("hall"), of: 0, for: id)
        #expect(words(drain(&stream)) == ["hall", "NO_CHANGE"])
    }

    @Test func `without a backend, or on the local socket, writes are shown at once`() throws {
        var rooms = WatchedRooms()
        var stream = try opened(&rooms)
        _ = drain(&stream)
        stream.received(rooms.writes("hall"), of: 0, for: id)
        #expect(drain(&stream).isEmpty)
        #expect(words(drain(&stream, isSettling: false)) == ["hall", "NO_CHANGE"])
        #expect(stream.wakesAt == ListenStream.silenceMax)
    }

    @Test func `with a limit all news waits together`() throws {
        var query = WatchedRooms().query
        query.limit = Query.Limit(5)
        var rooms = WatchedRooms(query)
        var stream = try opened(&rooms)
        _ = drain(&stream)
        stream.received(rooms.writes("hall"), of: 0, for: id)
        stream.received(rooms.commits("attic"), of: 0, for: id)
        #expect(drain(&stream).isEmpty)
        #expect(words(drain(&stream, at: .milliseconds(250))) == ["attic", "hall", "NO_CHANGE"])
    }

    @Test func `an offset holds back the first results, and tells of those that move across`()
        throws
    {
        var rooms = WatchedRooms()
        for name in ["b", "c", "d"] { _ = rooms.commits(name) }
        var stream = try opened(&rooms, offset: 2)
        #expect(words(drain(&stream)) == ["ADD", "d", "CURRENT", "NO_CHANGE"])
        stream.received(rooms.commits("a"), of: 0, for: id)
        #expect(words(drain(&stream)) == ["c", "NO_CHANGE"])
        stream.received(rooms.removes("b"), of: 0, for: id)
        #expect(words(drain(&stream)) == ["removed c", "NO_CHANGE"])
    }

    @Test func `what is known missing is deleted, what only left is removed`() throws {
        var rooms = WatchedRooms()
        _ = rooms.commits("hall")
        _ = rooms.commits("attic")
        var stream = try opened(&rooms)
        _ = drain(&stream)
        stream.received(rooms.removes("hall"), of: 0, for: id)
        stream.received(rooms.removes("attic", isMissing: false), of: 0, for: id)
        #expect(words(drain(&stream)) == ["removed attic", "deleted hall", "NO_CHANGE"])
    }

    @Test func `a deletion has the time of its own target, and is newer than what was shown`()
        throws
    {
        var rooms = WatchedRooms()
        _ = rooms.commits("hall")
        var stream = try opened(&rooms)
        var later = WatchedRooms()
        for number in 0..<10 { _ = later.commits("attic", Int64(number)) }
        let other = WireTargetID(8)
        stream.add(GatewayTarget(other, try shape(later)))
        stream.received(later.whole(), of: 0, for: other)
        _ = drain(&stream)
        // The backend has told of the halls up to an earlier time than of the attics.
        stream.received(rooms.removes("hall"), of: 0, for: id)
        let messages = drain(&stream)
        guard case .deleted(_, id, let time)? = messages.first,
            case .settled(let mark)? = messages.last
        else {
            Issue.record("\(messages)")
            return
        }
        #expect(time == Timestamp(microseconds: rooms.now))
        #expect(time < mark.readAt)
        // Of a write of this machine the backend's watch stream may not have told.
        stream.received(rooms.commits("hall"), of: 0, for: id)
        _ = drain(&stream)
        var removal = rooms.removes("hall")
        removal.readAt = SnapshotVersion(Timestamp(microseconds: 1_000))
        stream.received(removal, of: 0, for: id)
        guard case .deleted(_, id, let newer)? = drain(&stream).first else {
            Issue.record("No deletion came.")
            return
        }
        #expect(newer == Timestamp(microseconds: rooms.now - 10))
    }

    @Test func `the text of a refusal counts for as long as it waits`() throws {
        var stream = ListenStream(epoch: 1, id: 1, at: .zero)
        let text = String(repeating: "n", count: 100_000)
        stream.refuse(id, HearthError(code: .invalidArgument, message: text))
        #expect(stream.waitingByteCount > 100_000)
        _ = drain(&stream)
        #expect(stream.waitingByteCount == 0)
    }

    @Test func `a list of names is complete when each name is known`() throws {
        var halls = WatchedRooms(Query(document: WatchedRooms.key("hall")))
        var attics = WatchedRooms(Query(document: WatchedRooms.key("attic")))
        let keys = ["hall", "attic", "hall"].map { WatchedRooms.key($0) }
        var stream = ListenStream(epoch: 1, id: 1, at: .zero)
        stream.add(GatewayTarget(id, ListenShape(documents: keys)))
        stream.received(halls.whole(), of: 0, for: id)
        #expect(words(drain(&stream)) == ["ADD"])
        stream.received(attics.commits("attic"), of: 1, for: id)
        #expect(
            words(drain(&stream)) == ["deleted hall", "attic", "CURRENT", "NO_CHANGE"])
        stream.received(halls.commits("hall"), of: 0, for: id)
        #expect(words(drain(&stream)) == ["hall", "NO_CHANGE"])
    }

    @Test func `an empty list of names is complete at once`() {
        var stream = ListenStream(epoch: 1, id: 1, at: .zero)
        stream.add(GatewayTarget(id, ListenShape(documents: [])))
        #expect(words(drain(&stream)) == ["ADD", "CURRENT", "NO_CHANGE"])
    }

    @Test func `a target that is asked for once ends when it is current`() throws {
        var rooms = WatchedRooms()
        var stream = try opened(&rooms, isOnce: true)
        #expect(words(drain(&stream)) == ["ADD", "CURRENT", "NO_CHANGE", "REMOVE"])
        #expect(!stream.hasTarget(id))
    }

    @Test func `a refused target is taken up and ended, a failed one ends`() throws {
        let error = HearthError(code: .permissionDenied, message: "No.")
        var rooms = WatchedRooms()
        var stream = try opened(&rooms)
        stream.refuse(WireTargetID(8), error)
        let refused = ["ADD", "ADD", "REMOVE permissionDenied"]
        #expect(words(drain(&stream)) == refused + ["CURRENT", "NO_CHANGE"])
        let (ended, again) = (stream.end(id, error), stream.end(id, error))
        #expect(ended != nil && again == nil)
        #expect(words(drain(&stream)) == ["REMOVE permissionDenied"])
    }

    @Test func `a silent stream says that it lives`() throws {
        var rooms = WatchedRooms()
        var stream = try opened(&rooms)
        _ = drain(&stream)
        #expect(drain(&stream, at: .seconds(29)).isEmpty)
        #expect(words(drain(&stream, at: .seconds(30))) == ["alive"])
        #expect(stream.wakesAt == .seconds(60))
    }

    @Test func `a client that does not read costs one picture, not one for each change`() throws {
        var rooms = WatchedRooms()
        var stream = try opened(&rooms)
        _ = drain(&stream)
        for number in 0..<1_000 {
            stream.received(rooms.commits("r\(number % 3)", Int64(number)), of: 0, for: id)
        }
        #expect(stream.waitingByteCount == 0)
        #expect(words(drain(&stream)) == ["r0", "r1", "r2", "NO_CHANGE"])
    }

    @Test func `a read time says what waits, and never falls`() throws {
        var rooms = WatchedRooms()
        var stream = try opened(&rooms)
        _ = drain(&stream)
        var times: [Timestamp] = []
        func note(_ messages: [ListenMessage]) {
            for case .settled(let mark) in messages { times.append(mark.readAt) }
        }
        stream.received(rooms.becomes(isFromCache: true), of: 0, for: id)
        note(drain(&stream, isSettling: false))
        stream.received(rooms.writes("hall"), of: 0, for: id)
        note(drain(&stream, isSettling: false))
        stream.received(rooms.becomes(isFromCache: false), of: 0, for: id)
        note(drain(&stream, isSettling: false))
        stream.received(rooms.commits("hall"), of: 0, for: id)
        note(drain(&stream, isSettling: false))
        #expect(times.map { $0.nanoseconds % 1_000 } == [2, 3, 1, 0])
        #expect(times == times.sorted())
        let last = try #require(times.last)
        #expect(last <= Timestamp(microseconds: rooms.now))
    }
}
