import HearthEngine
import HearthModel
import Testing

@testable import HearthRealtime

/// Who waits for the backend, and until when.
struct PendingReadsTests {
    private var reads = PendingReads()
    private let target = ListenTarget("a", .all)
    private let one = RequestID(session: 1, number: 1)
    private let two = RequestID(session: 1, number: 2)
    private let now = Timestamp(seconds: 1_000_000, nanoseconds: 0)

    private func second(_ number: Int64) -> Timestamp { now.advanced(by: .seconds(number)) }

    @Test mutating func `the timer runs for the first that is due, and is set once`() {
        let none = reads.timer(at: now)
        #expect(none == nil)
        reads.add(one, target, .any, at: now)
        let first = reads.timer(at: now)
        #expect(first == .seconds(3))
        reads.add(two, target, .any, at: second(1))
        let again = reads.timer(at: second(1))
        #expect(again == nil)
        reads.sent(one, as: 1, at: second(1))
        reads.timerFired()
        let next = reads.timer(at: second(3))
        #expect(next == .seconds(1))
        let due = reads.removeDue(at: second(4)).map { $0.id }
        #expect(due == [two])
        reads.timerFired()
        let last = reads.timer(at: second(4))
        #expect(last == .seconds(7))
    }

    @Test mutating func `who is overdue waits on, and is named once`() {
        reads.add(one, target, .any, at: now)
        reads.add(two, target, .server, at: now)
        reads.sent(one, as: 1, at: now)
        reads.sent(two, as: 2, at: now)
        let early = reads.takeOverdue(at: second(9))
        #expect(early.isEmpty)
        let overdue = reads.takeOverdue(at: second(10)).map { $0.id }
        #expect(overdue == [one])
        let later = reads.takeOverdue(at: second(60))
        #expect(later.isEmpty)
        #expect(reads.ids == [one, two])
    }

    @Test mutating func `one late answer is known, until the connection is lost`() {
        for (id, number, unwanted) in [(one, 1, nil), (two, 2, 2)] as [(RequestID, Int, Int?)] {
            reads.add(id, target, .any, at: now)
            reads.sent(id, as: number, at: now)
            let ended = reads.answeredFromCache(id)
            #expect(ended == unwanted)
        }
        #expect(reads.isEmpty)
        var lost = reads
        lost.connectionLost(at: now)
        let (other, first, again) = (
            reads.takeLate(two), reads.takeLate(one), reads.takeLate(one)
        )
        #expect(other == nil)
        #expect(first == target)
        #expect(again == nil)
        let forgotten = lost.takeLate(one)
        #expect(forgotten == nil)
    }

    @Test mutating func `a clock that was set back makes no read wait for the step`() {
        reads.add(one, target, .any, at: now)
        reads.add(two, target, .any, at: now)
        reads.sent(two, as: 2, at: now)
        let pause = reads.timer(at: second(-3_600))
        #expect(pause == .seconds(10))
        let due = reads.removeDue(at: second(-3_600)).map { $0.id }
        #expect(due == [one])
        let overdue = reads.takeOverdue(at: second(-3_600)).map { $0.id }
        #expect(overdue == [two])
    }
}
