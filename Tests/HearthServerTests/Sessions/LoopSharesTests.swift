import NIOCore
import Testing

@testable import HearthServer

struct LoopSharesTests {
    /// Lets a user ask again and again, as often as he is let, each time for so long; returns what he took.
    private func take(
        _ taken: Duration, from uid: UInt32, for time: Duration, _ shares: inout LoopShares,
        beside others: [UInt32]
    ) -> Duration {
        var (now, sum) = (Duration.zero, Duration.zero)
        while now < time {
            for other in others { _ = shares.charge(.zero, to: other, at: now) }
            now += taken
            sum += taken
            now += shares.charge(taken, to: uid, at: now)
        }
        return sum
    }

    @Test func `who is alone is never kept waiting`() {
        var shares = LoopShares()
        #expect(
            take(.milliseconds(1), from: 1, for: .seconds(1), &shares, beside: []) == .seconds(1))
    }

    @Test func `who takes all he can has what one leaves who is there and takes nothing`() {
        var shares = LoopShares()
        let taken = take(.milliseconds(1), from: 1, for: .seconds(4), &shares, beside: [2])
        #expect(taken > .milliseconds(1_800))
        #expect(taken < .milliseconds(2_200))
    }

    @Test func `users who take all they can have equal parts`() {
        var shares = LoopShares()
        var next: [UInt32: Duration] = [1: .zero, 2: .zero, 3: .zero, 4: .zero]
        var taken: [UInt32: Duration] = [:]
        var now = Duration.zero
        while now < .seconds(4) {
            for (uid, time) in next where time <= now {
                taken[uid, default: .zero] += .milliseconds(1)
                now += .milliseconds(1)
                next[uid] = now + shares.charge(.milliseconds(1), to: uid, at: now)
            }
            now += .milliseconds(1)
        }
        for uid in next.keys {
            #expect(taken[uid, default: .zero] > .milliseconds(400))
            #expect(taken[uid, default: .zero] < .milliseconds(600))
        }
    }

    @Test func `who comes back has his own part soon`() {
        var shares = LoopShares()
        _ = take(.milliseconds(1), from: 1, for: .seconds(4), &shares, beside: [2])
        var now = Duration.seconds(4)
        var (first, second) = (Duration.zero, Duration.zero)
        var (mayFirst, maySecond) = (now, now)
        while now < .seconds(6) {
            if mayFirst <= now {
                first += .milliseconds(1)
                now += .milliseconds(1)
                mayFirst = now + shares.charge(.milliseconds(1), to: 1, at: now)
            }
            if maySecond <= now {
                second += .milliseconds(1)
                now += .milliseconds(1)
                maySecond = now + shares.charge(.milliseconds(1), to: 2, at: now)
            }
            now += .milliseconds(1)
        }
        #expect(second > .milliseconds(400))
        #expect(first < .milliseconds(600))
    }

    @Test func `several connections of a user have one part together`() {
        var shares = LoopShares()
        _ = shares.charge(.zero, to: 2, at: .zero)
        var pauses: [Duration] = []
        for _ in 1...50 { pauses.append(shares.charge(.milliseconds(2), to: 1, at: .zero)) }
        #expect(pauses.first == .zero)
        #expect(pauses == pauses.sorted())
        #expect(pauses.last ?? .zero > .milliseconds(100))
        #expect(shares.charge(.milliseconds(1), to: 2, at: .milliseconds(1)) == .zero)
    }

    @Test func `what is owed is forgotten when the others have gone`() {
        var shares = LoopShares()
        _ = shares.charge(.zero, to: 2, at: .zero)
        #expect(shares.charge(.milliseconds(500), to: 1, at: .zero) > .zero)
        #expect(shares.charge(.milliseconds(500), to: 1, at: .seconds(3)) == .zero)
    }

    @Test func `who was kept from the processor does not pay for that`() {
        let now = NIODeadline.now()
        let used = ThreadClock.processorTime
        let kept = LoopMoment(now - .seconds(5), processorTime: used)
        #expect(kept.taken(until: now) < .seconds(4), "The thread has done little.")
        let busy = LoopMoment(now - .seconds(5), processorTime: used - .seconds(6))
        #expect(busy.taken(until: now) == .seconds(5))
    }

    @Test func `a short time counts as the clock says`() {
        let now = NIODeadline.now()
        let short = LoopMoment(now - .microseconds(50), processorTime: ThreadClock.processorTime)
        #expect(short.taken(until: now) == .microseconds(50))
    }

    @Test func `what a thread has used is asked for when the last answer is too old`() {
        let ageMax = Duration.microseconds(200)
        func used(at now: UInt64) -> Duration {
            ThreadClock.recentProcessorTime(at: now, ageMax: ageMax)
        }
        let first = used(at: 1_000_000)
        let end = ThreadClock.processorTime + .milliseconds(1)
        while ThreadClock.processorTime < end {}
        #expect(used(at: 1_200_000) == first)
        #expect(used(at: 1_200_001) > first)
        while ThreadClock.processorTime < end + .milliseconds(1) {}
        #expect(used(at: 1_000_000) > first, "Another clock, as it seems")
    }

    @Test func `who may do nothing pays several times the time`() {
        let now = NIODeadline.now()
        let short = LoopMoment(now - .microseconds(50), processorTime: ThreadClock.processorTime)
        #expect(short.price(until: now, hasRights: true) == .microseconds(50))
        #expect(
            short.price(until: now, hasRights: false)
                == .microseconds(50 * Int64(LoopLimits.priceWithoutRights)))
    }
}
