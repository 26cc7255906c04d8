import HearthEngine
import Testing

@Suite struct SyncStateTests {
    private func signs(
        _ online: OnlineState, allowed: Bool = true, writing: Bool = false, unsent: Bool = false,
        watching: Bool = false, unconfirmed: Bool = false
    ) -> SyncState.Signs {
        var signs = SyncState.Signs()
        signs.canUseNetwork = allowed
        signs.onlineState = online
        signs.isWriting = writing
        signs.hasUnsentWrites = unsent
        signs.isWatching = watching
        signs.hasUnconfirmedViews = unconfirmed
        return signs
    }

    @Test func `a listener makes an idle engine connect, catch up and come live`() {
        var state = SyncState.idle
        state = state.next(signs(.unknown, watching: true))
        #expect(state == .connecting)
        state = state.next(signs(.online, watching: true, unconfirmed: true))
        #expect(state == .catchingUp)
        state = state.next(signs(.online, watching: true))
        #expect(state == .live)
    }

    @Test func `traffic does not end being live`() {
        #expect(SyncState.live.next(signs(.online, unsent: true, watching: true)) == .live)
        #expect(SyncState.live.next(signs(.unknown, writing: true, unsent: true)) == .live)
    }

    @Test func `writes alone connect, without anything being watched`() {
        #expect(SyncState.idle.next(signs(.unknown, unsent: true)) == .connecting)
        #expect(
            SyncState.connecting.next(signs(.unknown, writing: true, unsent: true)) == .catchingUp)
        #expect(SyncState.catchingUp.next(signs(.unknown, writing: true)) == .idle)
    }

    @Test func `while offline, trying again is not a change`() {
        #expect(SyncState.live.next(signs(.offline, watching: true)) == .offline)
        #expect(SyncState.offline.next(signs(.unknown, watching: true)) == .offline)
        #expect(SyncState.offline.next(signs(.online, unsent: true, watching: true)) == .catchingUp)
    }

    @Test func `an engine that must not connect is offline`() {
        for state in SyncState.allCases {
            #expect(state.next(signs(.online, allowed: false)) == .offline)
        }
    }
}
