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
        shelf.put(
            [(ListenShape(documents: []), SentHistory())], of: 1, in: database, at: .zero)
        shelf.forget(at: .seconds(299))
        #expect(shelf.count == 1)
        shelf.forget(at: .seconds(300))
        #expect(shelf.count == 0)
    }

    @Test func `the shelf keeps so many targets and no more`() {
        let shelf = ResumeShelf(epoch: 1)
        for stream in 0..<UInt64(3 * ResumeShelf.targetCountMax) {
            shelf.put(
                [(ListenShape(documents: []), SentHistory())], of: stream, in: database,
                at: .zero)
        }
        #expect(shelf.count == ResumeShelf.targetCountMax)
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
