import Hearth
import HearthConsole
import Testing

/// What a batch waits for.
struct WaitingCauseTests {
    private func cause(
        of batch: QueuedBatch, user: String = "", isNetworkEnabled: Bool = true,
        isBackendAway: Bool = false
    ) -> WaitingCause {
        WaitingCause(
            of: batch, user: user, isNetworkEnabled: isNetworkEnabled, isBackendAway: isBackendAway)
    }

    @Test func `what became of the batch itself counts before the connection`() {
        for isAway in [false, true] {
            for isOn in [false, true] {
                func cause(_ batch: QueuedBatch) -> WaitingCause {
                    self.cause(of: batch, isNetworkEnabled: isOn, isBackendAway: isAway)
                }
                #expect(cause(QueuedBatch(id: 2, state: .held)) == .held)
                // A held batch behind another held batch is released as the other is.
                #expect(cause(QueuedBatch(id: 2, state: .held, heldBy: 1)) == .held)
                #expect(cause(QueuedBatch(id: 2, heldBy: 1)) == .behindHeld)
                #expect(cause(QueuedBatch(id: 2, state: .sentUnanswered)) == .sent)
            }
        }
    }

    @Test func `a batch that nobody holds waits for the network, its user, the backend, its turn`()
    {
        let own = QueuedBatch(id: 1, user: "ada")
        #expect(cause(of: own, isNetworkEnabled: false, isBackendAway: true) == .networkOff)
        #expect(cause(of: own, user: "bob", isBackendAway: true) == .otherUser)
        #expect(cause(of: own, isBackendAway: true) == .otherUser)
        #expect(cause(of: own, user: "ada", isBackendAway: true) == .backendAway)
        #expect(cause(of: own, user: "ada") == .turn)
        // Two spellings of a name are two users.
        #expect(cause(of: QueuedBatch(id: 1, user: "\u{e9}"), user: "e\u{301}") == .otherUser)
    }
}
