import HearthEngine
import Testing

struct OnlineStateMachineTests {
    @Test func `one failed attempt without a message makes us offline`() {
        var online = OnlineStateMachine()
        #expect(online.streamStarted() == [.schedule(after: .seconds(10))])
        #expect(online.streamFailed() == [.cancel, .changed(.offline)])
        #expect(online.streamStarted().isEmpty)
        #expect(online.set(.online) == [.changed(.online)])
    }

    @Test func `a failure while online gives the backend another chance`() {
        var online = OnlineStateMachine()
        _ = online.set(.online)
        #expect(online.streamFailed() == [.changed(.unknown)])
        #expect(online.streamStarted() == [.schedule(after: .seconds(10))])
        #expect(online.streamFailed() == [.cancel, .changed(.offline)])
    }

    @Test func `silence for ten seconds makes us offline, but not after an answer`() {
        var online = OnlineStateMachine()
        _ = online.streamStarted()
        #expect(online.timerFired() == [.changed(.offline)])
        _ = online.set(.unknown)
        _ = online.streamStarted()
        _ = online.set(.online)
        #expect(online.timerFired().isEmpty)
    }
}
