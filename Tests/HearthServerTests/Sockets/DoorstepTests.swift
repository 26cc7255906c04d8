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
}
