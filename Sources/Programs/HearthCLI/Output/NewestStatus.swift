import Hearth
import Synchronization

/// The status that the daemon told last, for a loop that shows the status. A slow loop misses the statuses between.
final class NewestStatus: Sendable {
    /// Comes when there is something to show.
    let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let told = Mutex(Told.nothing)

    private enum Told {
        case nothing
        case absence(isThere: Bool)
        case statuses([DaemonStatus], at: ContinuousClock.Instant)
    }

    /// Nothing was told yet.
    init() {
        (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Notes what the daemon told.
    func tell(_ statuses: [DaemonStatus]) {
        told.withLock { $0 = .statuses(statuses, at: .now) }
        wake()
    }

    /// Notes that no daemon answers.
    ///
    /// - Parameter isThere: Whether somebody listens at the socket all the same.
    func tellAbsence(isThere: Bool) {
        told.withLock { $0 = .absence(isThere: isThere) }
        wake()
    }

    /// Notes that nobody listens at the socket any more, unless a daemon has answered meanwhile.
    func tellEnd() {
        let isNews = told.withLock {
            guard case .absence(isThere: true) = $0 else { return false }
            $0 = .absence(isThere: false)
            return true
        }
        if isNews { wake() }
    }

    /// Has the loop look.
    func wake() { waker.yield() }

    /// How the daemon is at this moment, as far as it has told; no list if no daemon answers, and then
    /// whether somebody listens at the socket all the same.
    var look: (list: StatusList?, isSilent: Bool) {
        switch told.withLock({ $0 }) {
        case .nothing: (nil, false)
        case .absence(let isThere): (nil, isThere)
        case .statuses(let statuses, let time):
            (StatusList(statuses, now: Timestamp(), age: .now - time), false)
        }
    }
}
