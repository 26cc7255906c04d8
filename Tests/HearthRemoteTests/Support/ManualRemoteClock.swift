import HearthModel
import HearthRemote
import Synchronization

/// A clock that stands still until a test moves it.
final class ManualRemoteClock: RemoteClock {
    private struct Sleeper {
        let deadline: Duration
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var elapsed = Duration.zero
        var sleepers: [Sleeper] = []
    }

    static let start = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)

    private let state = Mutex(State())

    func now() -> Timestamp { Self.start.advanced(by: state.withLock { $0.elapsed }) }

    func pause(for duration: Duration) async throws {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard duration > .zero else { return true }
                state.sleepers.append(
                    Sleeper(
                        deadline: state.elapsed + duration, continuation: continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// How many wait.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Lets time pass, and wakes whose time has come.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.elapsed += duration
            let now = state.elapsed
            let due = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }
}
