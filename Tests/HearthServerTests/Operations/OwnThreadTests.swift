import Synchronization
import Testing

@testable import HearthServer

@Suite(.timeLimit(.minutes(1)))
struct OwnThreadTests {
    /// Tells at its end, when nobody holds it any more, whether it was used.
    private final class Held: Sendable {
        private let isUsed = Atomic(false)
        private let ended: @Sendable (Bool) -> Void

        init(_ ended: @escaping @Sendable (Bool) -> Void) {
            self.ended = ended
        }

        deinit { ended(isUsed.load(ordering: .relaxed)) }

        func use() { isUsed.store(true, ordering: .relaxed) }
    }

    @Test func `a thread runs what it is given, and then lets go of what that held`() async {
        let isUsed = await withCheckedContinuation { continuation in
            let held = Held { continuation.resume(returning: $0) }
            let isStarted = OwnThread.start { held.use() }
            #expect(isStarted)
        }
        #expect(isUsed)
    }
}
