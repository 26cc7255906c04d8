import NIOCore
import NIOEmbedded
import Testing

@testable import HearthServer

struct DoorstepTests {
    /// What has become of connections that asked to come in.
    private final class Outcomes {
        var admitted = 0
        var refused = 0
    }

    private func connect(
        _ uid: UInt32, times count: Int, at doorstep: Doorstep, on loop: EmbeddedEventLoop
    ) -> Outcomes {
        let outcomes = Outcomes()
        for _ in 0..<count {
            switch doorstep.arrive(uid, on: loop) {
            case .comesIn: outcomes.admitted += 1
            case .waits(let entry):
                loop.assumeIsolated().scheduleTask(deadline: entry) {
                    doorstep.leave(uid)
                    outcomes.admitted += 1
                }
            case .isTurnedAway: outcomes.refused += 1
            }
        }
        return outcomes
    }

    @Test func `who connects again and again waits, with few at a time, and others come in`() {
        let (loop, doorstep) = (EmbeddedEventLoop(), Doorstep(LoopShareTable()))
        #expect(connect(2, times: 1, at: doorstep, on: loop).admitted == 1)
        let crowd = connect(1, times: 500, at: doorstep, on: loop)
        #expect(crowd.admitted >= 20)
        #expect(crowd.admitted + Doorstep.countMax + crowd.refused == 500)
        #expect(crowd.refused > 0)
        #expect(connect(2, times: 1, at: doorstep, on: loop).admitted == 1)

        let admitted = crowd.admitted
        loop.advanceTime(by: .seconds(1))
        #expect(crowd.admitted == admitted + Doorstep.countMax)
        let later = connect(1, times: Doorstep.countMax + 1, at: doorstep, on: loop)
        #expect(later.refused <= 1, "The doorstep is free again.")
        loop.advanceTime(by: .seconds(1))
    }

    @Test func `root and a user who is alone never wait`() {
        let (loop, doorstep) = (EmbeddedEventLoop(), Doorstep(LoopShareTable()))
        #expect(connect(1, times: 500, at: doorstep, on: loop).admitted == 500)
        #expect(connect(0, times: 500, at: doorstep, on: loop).admitted == 500)
    }

    @Test func `connections of a user who owes much come in one behind the other`() {
        let (loop, shares) = (EmbeddedEventLoop(), LoopShareTable())
        let doorstep = Doorstep(shares)
        _ = connect(2, times: 1, at: doorstep, on: loop)
        _ = shares.charge(.seconds(60), to: 1, on: loop)
        let crowd = connect(1, times: Doorstep.countMax, at: doorstep, on: loop)
        loop.advanceTime(by: .milliseconds(999))
        #expect(crowd.admitted == 0)
        loop.advanceTime(by: .milliseconds(1))
        #expect(crowd.admitted == 1)
        loop.advanceTime(by: .milliseconds(500))
        #expect(crowd.admitted == 1 + Doorstep.countMax / 2)
        loop.advanceTime(by: .milliseconds(500))
        #expect(crowd.admitted == Doorstep.countMax)
    }

    @Test(arguments: [true, false])
    func `a user pays for the time that a connection takes to come in`(hasRights: Bool) {
        let (loop, shares) = (EmbeddedEventLoop(), LoopShareTable())
        let doorstep = Doorstep(shares)
        _ = connect(2, times: 1, at: doorstep, on: loop)
        // Time for which a user without rights pays more than a user may take at once.
        let began = LoopMoment.now()
        while began.taken(until: .now()) < .milliseconds(2) {}
        doorstep.charge(1, since: began, hasRights: hasRights, on: loop)
        #expect((shares.charge(.zero, to: 1, on: loop) > .zero) == !hasRights)
        #expect(shares.charge(.zero, to: 2, on: loop) == .zero)
    }

    @Test func `whoever is turned away pays the loop nothing`() {
        let (loop, shares) = (EmbeddedEventLoop(), LoopShareTable())
        let doorstep = Doorstep(shares)
        _ = connect(2, times: 1, at: doorstep, on: loop)
        _ = connect(1, times: 200, at: doorstep, on: loop)
        let debt = shares.charge(.zero, to: 1, on: loop)
        #expect(connect(1, times: 10_000, at: doorstep, on: loop).refused == 10_000)
        #expect(shares.charge(.zero, to: 1, on: loop) <= debt)
        loop.advanceTime(by: .seconds(1))
    }
}
