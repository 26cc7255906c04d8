import Hearth
import Synchronization

/// The status that the daemon told last, for a loop that shows the status. A slow loop misses the statuses between.
final class NewestStatus: Sendable {
    /// Comes when there is something to show.
    let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let told = Mutex<(statuses: [DaemonStatus], at: ContinuousClock.Instant)?>(nil)

    /// Nothing was told yet.
    init() {
        (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Notes what the daemon told; `nil` if no daemon answers.
    func tell(_ statuses: [DaemonStatus]?) {
        told.withLock { $0 = statuses.map { ($0, .now) } }
        wake()
    }

    /// Has the loop look.
    func wake() { waker.yield() }

    /// How the daemon is at this moment, as far as it has told; `nil` if no daemon answers.
    var list: StatusList? {
        told.withLock { $0 }.map { told in
            StatusList(told.statuses, now: Timestamp(), age: .now - told.at)
        }
    }
}
