import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthGateway

/// A write that sets some documents and takes out others is one event, as at the backend.
struct WholeWritesTests {
    private static let id = WireTargetID(7)

    /// A client that listens to rooms, and reads all that comes.
    private struct Seat {
        var rooms: WatchedRooms
        var stream = ListenStream(epoch: 1, id: 1, at: .zero)
        var client = PatientClient()
        /// The rooms that the client has shown, one picture after the other.
        var pictures: [[String]] = []

        /// - Parameter names: The rooms that there are.
        init(_ names: [String], _ query: Query = WatchedRooms().query) throws {
            rooms = WatchedRooms(query)
            for name in names { _ = rooms.commits(name) }
            stream.add(
                GatewayTarget(
                    WholeWritesTests.id, try ListenShape(query.target.structuredQuery)))
            receive(rooms.whole(), at: .zero)
        }

        mutating func receive(
            _ snapshot: ViewSnapshot, at now: Duration, isSettling: Bool = true
        ) {
            stream.received(snapshot, of: 0, for: WholeWritesTests.id)
            read(at: now, isSettling: isSettling)
        }

        mutating func read(at now: Duration, isSettling: Bool = true) {
            while let message = stream.next(at: now, isSettling: isSettling) {
                client.received(message)
                guard case .settled = message else { continue }
                pictures.append(client.shown.keys.map(\.documentID).sorted())
            }
        }
    }

    @Test func `what a write sets and what the write deletes are shown together`() throws {
        var seat = try Seat(["a", "b"])
        seat.receive(seat.rooms.writes(["c", "d"], removing: ["a", "b"]), at: .milliseconds(10))
        #expect(seat.pictures == [["a", "b"]])
        #expect(seat.stream.wakesAt == .milliseconds(260))
        seat.receive(seat.rooms.confirms(["c", "d"], removing: ["a", "b"]), at: .milliseconds(40))
        #expect(seat.pictures == [["a", "b"], ["c", "d"]])
        #expect(seat.client.shows(seat.rooms.documents))
        let deleted = seat.client.removals.filter {
            if case .deleted = $0 { true } else { false }
        }
        #expect(deleted.count == 2)
        seat.read(at: .seconds(1))
        #expect(seat.client.eventCount == 2)
        #expect(seat.stream.wakesAt == ListenStream.silenceMax + .milliseconds(40))
    }

    @Test func `a write that only deletes is shown when it is committed`() throws {
        var seat = try Seat(["a", "b"])
        seat.receive(seat.rooms.writes([], removing: ["a"]), at: .zero)
        #expect(seat.pictures == [["a", "b"]])
        seat.receive(seat.rooms.confirms([], removing: ["a"]), at: .milliseconds(40))
        #expect(seat.pictures == [["a", "b"], ["b"]])
    }

    @Test func `of a write that is rejected in time nobody hears`() throws {
        var seat = try Seat(["a", "b"])
        let before = seat.rooms.documents.documents
        seat.receive(seat.rooms.writes(["b", "c"], removing: ["a"]), at: .zero)
        seat.receive(seat.rooms.rejects(["b", "c"], before: before), at: .milliseconds(40))
        seat.read(at: .seconds(1))
        #expect(seat.pictures == [["a", "b"]])
        #expect(seat.client.shows(seat.rooms.documents))
    }

    @Test func `a write that waits longer is shown whole, and then with its real times`() throws {
        var seat = try Seat(["a", "b"])
        seat.receive(seat.rooms.writes(["c"], removing: ["a"]), at: .zero)
        seat.read(at: .milliseconds(249))
        #expect(seat.pictures == [["a", "b"]])
        seat.read(at: .milliseconds(250))
        #expect(seat.pictures == [["a", "b"], ["b", "c"]])
        seat.receive(seat.rooms.confirms(["c"], removing: ["a"]), at: .milliseconds(300))
        #expect(seat.client.shows(seat.rooms.documents))
        #expect(seat.client.eventCount == 3)
    }

    @Test func `others' news goes by, and other writes settle by themselves`() throws {
        var seat = try Seat(["a", "b"])
        seat.receive(seat.rooms.writes(["c"], removing: ["a"]), at: .zero)
        seat.receive(seat.rooms.commits("x"), at: .milliseconds(10))
        #expect(seat.pictures.last == ["a", "b", "x"])
        seat.receive(seat.rooms.writes(["d"], removing: ["b"]), at: .milliseconds(20))
        seat.receive(seat.rooms.confirms(["c"], removing: ["a"]), at: .milliseconds(30))
        #expect(seat.pictures.last == ["b", "c", "x"])
        seat.receive(seat.rooms.confirms(["d"], removing: ["b"]), at: .milliseconds(40))
        #expect(seat.pictures.last == ["c", "d", "x"])
        #expect(seat.client.eventCount == 4)
    }

    @Test func `a write upon a waiting write is held with it, and its rejection stays unseen`()
        throws
    {
        var seat = try Seat(["a", "b"])
        seat.receive(seat.rooms.writes(["b", "c"], removing: ["a"], 1), at: .zero)
        seat.receive(seat.rooms.writes(["d"], removing: ["b"], 2), at: .milliseconds(10))
        // The first is committed: what only the first has written is real, and waits for the other.
        seat.receive(seat.rooms.confirms(["c"], removing: ["a"], 1), at: .milliseconds(20))
        #expect(seat.pictures == [["a", "b"]])
        var remote = seat.rooms
        _ = remote.commits("b", 1)
        let b = try #require(remote.documents[WatchedRooms.key("b")])
        seat.receive(seat.rooms.rejects(["d"], before: [b]), at: .milliseconds(30))
        #expect(seat.pictures == [["a", "b"], ["b", "c"]])
        #expect(seat.client.shows(seat.rooms.documents))
        #expect(seat.client.shown[WatchedRooms.key("b")]?.document == b)
    }

    @Test func `what others wrote beneath a waiting write is not shown in part`() throws {
        var seat = try Seat(["a", "b"])
        seat.receive(seat.rooms.writes(["a"], removing: [], 1), at: .zero)
        // Another machine has written to the rooms a and x by one write.
        var together = seat.rooms.commits("x", 2)
        together.hiddenKeys = [WatchedRooms.key("a")]
        seat.receive(together, at: .milliseconds(10))
        #expect(seat.pictures == [["a", "b"]])
        seat.receive(seat.rooms.confirms(["a"], removing: [], 1), at: .milliseconds(40))
        #expect(seat.pictures == [["a", "b"], ["a", "b", "x"]])
        #expect(seat.client.shows(seat.rooms.documents))
    }

    @Test func `when the backend goes away, what was held back is shown whole`() throws {
        var seat = try Seat(["a", "b"])
        seat.receive(seat.rooms.writes(["c"], removing: ["a"]), at: .zero)
        seat.receive(
            seat.rooms.becomes(isFromCache: true), at: .milliseconds(10), isSettling: false)
        #expect(seat.pictures == [["a", "b"], ["b", "c"]])
        seat.receive(
            seat.rooms.writes(["d"], removing: ["b"]), at: .milliseconds(20), isSettling: false)
        #expect(seat.pictures.last == ["c", "d"])
        #expect(seat.client.eventCount == 3)
    }

    @Test func `with a limit, who comes after a deleted document comes with its end`() throws {
        var query = WatchedRooms().query
        query.limit = Query.Limit(2)
        var seat = try Seat(["a", "b"], query)
        seat.receive(seat.rooms.writes([], removing: ["a"]), at: .zero)
        seat.receive(seat.rooms.commits("c"), at: .milliseconds(10))
        #expect(seat.pictures == [["a", "b"]])
        seat.receive(seat.rooms.confirms([], removing: ["a"]), at: .milliseconds(40))
        #expect(seat.pictures == [["a", "b"], ["b", "c"]])
    }

    @Test func `a write to two targets of a stream is one event of the stream`() throws {
        var (rooms, halls) = (WatchedRooms(), WatchedRooms())
        for name in ["a", "b"] {
            _ = rooms.commits(name)
            _ = halls.commits(name)
        }
        let shape = try ListenShape(rooms.query.target.structuredQuery)
        var stream = ListenStream(epoch: 1, id: 1, at: .zero)
        let other = WireTargetID(8)
        for id in [Self.id, other] { stream.add(GatewayTarget(id, shape)) }
        func drain(at now: Duration) -> [ListenMessage] {
            var messages: [ListenMessage] = []
            while let message = stream.next(at: now, isSettling: true) { messages.append(message) }
            return messages
        }
        stream.received(rooms.whole(), of: 0, for: Self.id)
        stream.received(halls.whole(), of: 0, for: other)
        _ = drain(at: .zero)
        stream.received(rooms.writes(["c"], removing: []), of: 0, for: Self.id)
        stream.received(halls.writes([], removing: ["a"]), of: 0, for: other)
        #expect(drain(at: .milliseconds(10)).isEmpty)
        stream.received(rooms.confirms(["c"], removing: []), of: 0, for: Self.id)
        stream.received(halls.confirms([], removing: ["a"]), of: 0, for: other)
        let points = drain(at: .milliseconds(40)).filter {
            if case .settled = $0 { true } else { false }
        }
        #expect(points.count == 1)
    }

    @Test func `a client that comes back meanwhile hears of the write when it is committed`() throws
    {
        var seat = try Seat(["a", "b"])
        seat.receive(seat.rooms.writes(["c"], removing: ["a"]), at: .zero)
        let (shape, history) = try #require(seat.stream.histories.first)
        let token = try #require(seat.client.token.flatMap { ResumeToken($0) })
        let mark = try #require(ResumeMark(token))
        let told = try #require(history.names(toldAfter: mark.number))
        seat.client.lostStream()
        seat.stream = ListenStream(epoch: 1, id: 2, at: .milliseconds(10))
        seat.stream.add(
            GatewayTarget(Self.id, shape, from: .point(history, told: told)), after: mark.readAt)
        seat.receive(seat.rooms.whole(), at: .milliseconds(10))
        #expect(seat.pictures.last == ["a", "b"])
        seat.receive(seat.rooms.confirms(["c"], removing: ["a"]), at: .milliseconds(40))
        #expect(seat.pictures.last == ["b", "c"])
        #expect(seat.client.eventCount == 2)
    }
}
