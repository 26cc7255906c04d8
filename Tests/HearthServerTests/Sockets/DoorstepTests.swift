import Glibc
import NIOCore
import NIOEmbedded
import Testing

@testable import HearthServer

struct DoorstepTests {
    /// What has become of connections that asked to come in.
    private final class Outcomes {
        var admitted = 0
        var refused = 0

        func note(_ future: EventLoopFuture<Void>) {
            future.assumeIsolated().whenComplete { [self] result in
                switch result {
                case .success: admitted += 1
                case .failure: refused += 1
                }
            }
        }
    }

    private func connect(
        _ uid: UInt32, times count: Int, at doorstep: Doorstep, on loop: EmbeddedEventLoop
    ) -> Outcomes {
        let outcomes = Outcomes()
        for _ in 0..<count { outcomes.note(doorstep.wait(uid, on: loop)) }
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

    @Test func `a listener pauses while many are turned away, and goes on`() throws {
        let doorstep = Doorstep(LoopShareTable())
        let pacer = AcceptPacer(doorstep)
        let listener = EmbeddedChannel(handler: pacer)
        let loop = listener.embeddedEventLoop

        listener.pipeline.fireChannelReadComplete()
        #expect(!pacer.isPausing)
        _ = connect(2, times: 1, at: doorstep, on: loop)
        let crowd = connect(1, times: 500, at: doorstep, on: loop)
        #expect(crowd.refused >= AcceptPacer.refusalCountMax)
        listener.pipeline.fireChannelReadComplete()
        #expect(pacer.isPausing)
        loop.advanceTime(by: AcceptPacer.window)
        #expect(!pacer.isPausing)
        listener.pipeline.fireChannelReadComplete()
        #expect(!pacer.isPausing, "Nobody more was turned away.")
        loop.advanceTime(by: .seconds(1))
        _ = try listener.finish()
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

    @Test func `a user pays for the time that a connection takes to come in`() throws {
        let (loop, shares) = (EmbeddedEventLoop(), LoopShareTable())
        let doorstep = Doorstep(shares)
        _ = connect(2, times: 1, at: doorstep, on: loop)
        try doorstep.letIn(1, EmbeddedChannel(loop: loop)) {
            // Work that takes more than a user may take at once.
            let began = LoopMoment.now()
            while began.taken(until: .now()) < .milliseconds(20) {}
        }
        #expect(shares.charge(.zero, to: 1, on: loop) > .zero)
        #expect(shares.charge(.zero, to: 2, on: loop) == .zero)
    }

    @Test(arguments: [("", true), ("x", false)])
    func `who has left without a word is known`(said: String, hasLeft: Bool) throws {
        var sockets: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        defer { close(sockets[0]) }
        #expect(!Doorstep.hasLeft(sockets[0]))
        #expect(write(sockets[1], said, said.utf8.count) == said.utf8.count)
        close(sockets[1])
        #expect(Doorstep.hasLeft(sockets[0]) == hasLeft)
    }
}
