import Dispatch
import HearthModel
import HearthServer
import Synchronization

/// A clock that stands still until a test moves it.
final class ManualClock: HostClock {
    private struct Armed {
        var deadline: Duration?
        let queue: DispatchQueue
        let fired: @Sendable () -> Void
    }

    private struct State {
        var elapsed = Duration.zero
        var jumped = Duration.zero
        var timers: [Int: Armed] = [:]
    }

    private let state = Mutex(State())

    func now() -> Timestamp {
        Timestamp(seconds: 1_000, nanoseconds: 0).advanced(
            by: state.withLock { $0.elapsed + $0.jumped })
    }

    /// Sets the time of day to another, as an administrator would; no time passes by it.
    func jump(by duration: Duration) { state.withLock { $0.jumped += duration } }

    func uptime() -> Duration { state.withLock { $0.elapsed } }

    func makeTimer(on queue: DispatchQueue, _ fired: @escaping @Sendable () -> Void)
        -> any HostTimer
    {
        state.withLock { state in
            let id = state.timers.count
            state.timers[id] = Armed(deadline: nil, queue: queue, fired: fired)
            return Timer(clock: self, id: id)
        }
    }

    /// Lets time pass, and rings what runs out. Returns when the rings are on their queues.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.elapsed += duration
            let due = state.timers.filter {
                ($0.value.deadline ?? .seconds(1 << 40)) <= state.elapsed
            }
            for id in due.keys { state.timers[id]?.deadline = nil }
            return due.sorted { $0.key < $1.key }.map(\.value)
        }
        for timer in due { timer.queue.async(execute: timer.fired) }
    }

    private func set(_ id: Int, _ delay: Duration?) {
        state.withLock { state in
            let elapsed = state.elapsed
            state.timers[id]?.deadline = delay.map { elapsed + $0 }
        }
    }

    private final class Timer: HostTimer {
        let clock: ManualClock
        let id: Int

        init(clock: ManualClock, id: Int) {
            self.clock = clock
            self.id = id
        }

        func set(after delay: Duration) { clock.set(id, delay) }
        func stop() { clock.set(id, nil) }
    }
}
