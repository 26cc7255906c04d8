import Synchronization

@testable import Hearth

/// A clock that a test moves on.
final class HandClock: ClientClock {
    private let state = Mutex<(time: Duration, waiting: WakePipe?)>((.zero, nil))

    var now: Duration { state.withLock { $0.time } }

    func wait(_ wake: WakePipe, until: Duration?, socket: (descriptor: Int32, toWrite: Bool)?) {
        state.withLock { $0.waiting = wake }
        wake.wait(for: socket)
    }

    /// Moves on, and lets whoever waits look at the time again.
    func move(by duration: Duration) {
        let waiting = state.withLock { state in
            state.time += duration
            return state.waiting
        }
        waiting?.signal()
    }
}
