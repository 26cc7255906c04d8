import HearthModel
import HearthTestSupport
import Testing

@testable import HearthGateway

/// Clients that come back, by their tokens and by chance.
struct ResumeTests {
    private let id = WireTargetID(1)
    private let database = DatabaseID(project: "p")

    @Test func `a token is read as it was written, and anything else is no token`() {
        let mark = ResumeMark(
            epoch: .max - 1, stream: 3, number: 1 << 40,
            readAt: Timestamp(seconds: -5, nanoseconds: 999_999_999))
        func read(_ bytes: [UInt8]) -> ResumeMark? {
            ResumeToken(bytes).flatMap { ResumeMark($0) }
        }
        #expect(read(mark.bytes) == mark)
        #expect(read(Array(mark.bytes.dropLast())) == nil)
        #expect(read(mark.bytes + [0]) == nil)
        for place in mark.bytes.indices {
            var changed = mark.bytes
            changed[place] ^= 0xff
            #expect(read(changed) != mark)
        }
    }

    @Test func `a picture that nobody comes back for is forgotten after five minutes`() {
        let shelf = ResumeShelf(epoch: 1)
        let sweep = shelf.put(
            [(ListenShape(documents: []), SentHistory())], of: stream(1), at: .zero)
        #expect(sweep == .seconds(300))
        #expect(shelf.forget(at: .seconds(299)) == .seconds(300))
        #expect(shelf.count == 1)
        #expect(shelf.forget(at: .seconds(300)) == nil)
        #expect(shelf.count == 0)
    }

    @Test func `the shelf keeps so many targets and no more`() {
        let shelf = ResumeShelf(epoch: 1)
        for number in 0..<UInt64(3 * ResumeShelf.targetCountMax) {
            shelf.put(
                [(ListenShape(documents: []), SentHistory())],
                of: stream(number, uid: UInt32(number)), at: .zero)
        }
        #expect(shelf.count == ResumeShelf.targetCountMax)
    }

    @Test func `one user's targets take nobody else's place on the shelf`() {
        let shelf = ResumeShelf(epoch: 1)
        let shape = ListenShape(documents: [])
        let mark = ResumeMark(epoch: 1, stream: 1, number: 1, readAt: Timestamp(microseconds: 1))
        shelf.put([(shape, pictures(["a"]))], of: stream(1, uid: 1), at: .zero)
        for number in 1...UInt64(3 * ResumeShelf.uidTargetCountMax) {
            shelf.put([(shape, SentHistory())], of: stream(number, uid: 2), at: .zero)
        }
        #expect(shelf.count == ResumeShelf.uidTargetCountMax + 1)
        // Who shows another user's token is told everything.
        guard case .unknown = shelf.take(mark, shape, of: stream(1, uid: 3), at: .zero) else {
            Issue.record("Another user took it.")
            return
        }
        guard case .point = shelf.take(mark, shape, of: stream(1, uid: 1), at: .zero) else {
            Issue.record("It is gone.")
            return
        }
    }

    @Test func `subordinate users have one user's part of the shelf, and nobody else's pictures`() {
        let shelf = ResumeShelf(epoch: 1)
        let shape = ListenShape(documents: [])
        for number in 1...UInt64(3 * ResumeShelf.uidTargetCountMax) {
            shelf.put(
                [(shape, pictures(["a"]))],
                of: stream(number, uid: 100_000 + UInt32(number), paidBy: 1_000), at: .zero)
        }
        #expect(shelf.count == ResumeShelf.uidTargetCountMax)
        let last = UInt64(3 * ResumeShelf.uidTargetCountMax)
        let mark = ResumeMark(
            epoch: 1, stream: last, number: 1, readAt: Timestamp(microseconds: 1))
        guard case .unknown = shelf.take(mark, shape, of: stream(last, uid: 1_000), at: .zero)
        else {
            Issue.record("A user was given what another user's client was shown")
            return
        }
        #expect(shelf.count == ResumeShelf.uidTargetCountMax)
    }

    @Test func `the shelf keeps so many bytes and no more`() {
        let shelf = ResumeShelf(epoch: 1)
        let shape = ListenShape(documents: [])
        let large = pictures(["a", "b", "c"], byteCount: 1 << 20)
        for number in 0..<UInt64(20) {
            shelf.put([(shape, large)], of: stream(number, uid: UInt32(number)), at: .zero)
        }
        #expect((3 << 20...ResumeShelf.byteCountMax).contains(shelf.byteCount))
        #expect(shelf.count == 5)
        let tooLarge = pictures(["a"], byteCount: ResumeShelf.byteCountMax)
        shelf.put([(shape, tooLarge)], of: stream(99, uid: 99), at: .zero)
        #expect(shelf.count == 5)
        shelf.forget(at: .seconds(300))
        #expect(shelf.byteCount == 0)
    }

    @Test func `one sweep is due for all that is on the shelf, and none for nothing`() {
        let shelf = ResumeShelf(epoch: 1)
        let histories = [(ListenShape(documents: []), SentHistory())]
        #expect(shelf.put([], of: stream(1), at: .zero) == nil)
        #expect(shelf.put(histories, of: stream(2), at: .seconds(1)) == .seconds(301))
        #expect(shelf.put(histories, of: stream(3), at: .seconds(2)) == nil)
        #expect(shelf.forget(at: .seconds(301)) == .seconds(302))
        #expect(shelf.put(histories, of: stream(4), at: .seconds(301)) == nil)
        #expect(shelf.forget(at: .seconds(601)) == nil)
        #expect(shelf.put(histories, of: stream(5), at: .seconds(602)) == .seconds(902))
    }

    private func stream(
        _ id: UInt64, uid: UInt32 = 1, paidBy payer: UInt32? = nil
    ) -> ResumeShelf.StreamName {
        ResumeShelf.StreamName(id: id, database: database, uid: uid, payer: payer ?? uid)
    }

    /// A picture of rooms, shown in message 1, of so many bytes each.
    private func pictures(_ names: [String], byteCount: Int = 1) -> SentHistory {
        var documents = DocumentSet(order: Query(path: .root).order)
        for name in names {
            documents.insert(
                .found(
                    WatchedRooms.key(name), at: SnapshotVersion(Timestamp(microseconds: 1)),
                    ["text": .string(String(repeating: "a", count: byteCount))]))
        }
        var history = SentHistory()
        history.append(1, SentHistory.Picture(documents), told: [])
        return history
    }

    @Test func `a client that comes back to what it knows is told what differs`() {
        var story = ListenStory(seed: 1)
        for name in ["a", "b", "c"] { story.commit(name) }
        story.deliverAll()
        let count = story.client.documentCount
        story.loseStream(isRestart: false)
        story.commit("b")
        story.deliverAll()
        #expect(story.client.resetCount == 0)
        #expect(story.client.documentCount == count + 1)
        #expect(story.client.shows(story.rooms.documents))
    }

    @Test func `a client that comes back to an unchanged view hears of no event`() {
        for isRestart in [false, true] {
            var story = ListenStory(seed: 1)
            for name in ["a", "b", "c"] { story.commit(name) }
            story.write("d")
            story.deliverAll()
            let count = story.client.eventCount
            story.loseStream(isRestart: isRestart)
            story.deliverAll()
            #expect(story.client.resetCount == (isRestart ? 1 : 0))
            #expect(story.client.eventCount == count)
            #expect(story.client.shows(story.rooms.documents))
        }
    }

    @Test func `a document that came and went on the way to a lost client is taken back`() {
        var story = ListenStory(seed: 1, keepsParts: true)
        story.commit("a")
        story.deliverAll()
        story.commit("b")
        story.deliver(1)  // The document, but not the NO_CHANGE that completes it.
        story.remove("b")
        story.loseStream(isRestart: false)
        story.deliverAll()
        #expect(story.client.resetCount == 0)
        #expect(story.client.shows(story.rooms.documents))
    }

    @Test(arguments: 0..<UInt64(200))
    func `whatever happens, a client ends with what the view is`(seed: UInt64) {
        var story = ListenStory(seed: seed, keepsParts: seed.isMultiple(of: 2))
        for _ in 0..<120 { story.step() }
        story.settle()
        let isComplete = story.client.shows(story.rooms.documents)
        #expect(isComplete && story.missedCount == 0)
        #expect(story.client.readTimes == story.client.readTimes.sorted())
        #expect(story.isNeverAhead)
    }
}
