import Dispatch
import HearthModel
import HearthWire
import Synchronization

/// Reads the configuration again for whoever asks, on a thread of its own, where a file system that does
/// not answer holds up nothing else.
///
/// Whoever asks while the files are being read is served by the next reading, since the files may have
/// changed after they were read; all who wait share one reading.
final class ReloadDesk: Sendable {
    /// What became of a reload.
    typealias Outcome = Result<ReloadReport, HearthError>

    private struct State {
        var reading: (@Sendable () -> Outcome)?
        /// Who waits, by the order in which they came.
        var askers: [UInt64: @Sendable (Outcome) -> Void] = [:]
        var askerCount: UInt64 = 0
        /// Whether a reading has been ordered that has not begun.
        var isOrdered = false
    }

    /// How long a question waits at most.
    static let patience = Duration.seconds(20)

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "hearth.reload")
    private let timers = DispatchQueue(label: "hearth.reload.patience")
    private let patience: Duration

    /// A desk that cannot read anything until `enable`.
    init(patience: Duration = ReloadDesk.patience) { self.patience = patience }

    /// Says how the configuration is read again and taken over. The reading may block on the disk.
    func enable(_ reading: @escaping @Sendable () -> Outcome) {
        state.withLock { $0.reading = reading }
    }

    /// Reads the configuration again, soon.
    func order() {
        let isFirst = state.withLock { state in
            defer { state.isOrdered = true }
            return !state.isOrdered
        }
        if isFirst { queue.async { self.read() } }
    }

    /// Reads the configuration again, and tells the outcome once: at the latest when patience ends.
    ///
    /// A reading that goes on beyond that still takes effect when the reading ends.
    func ask(_ tell: @escaping @Sendable (Outcome) -> Void) {
        let number = state.withLock { state in
            state.askerCount += 1
            state.askers[state.askerCount] = tell
            return state.askerCount
        }
        order()
        let wait = DispatchTimeInterval.nanoseconds(Int(patience / .nanoseconds(1)))
        timers.asyncAfter(deadline: .now() + wait) { self.giveUp(number) }
    }

    private func read() {
        let (reading, last) = state.withLock { state in
            state.isOrdered = false
            return (state.reading, state.askerCount)
        }
        let outcome = reading?() ?? .failure(.unreadable)
        let served = state.withLock { state in
            let served = state.askers.filter { $0.key <= last }
            for number in served.keys { state.askers[number] = nil }
            return Array(served.values)
        }
        for tell in served { tell(outcome) }
    }

    private func giveUp(_ number: UInt64) {
        let tell = state.withLock { $0.askers.removeValue(forKey: number) }
        tell?(.failure(.stalled(after: patience)))
    }
}

extension HearthError {
    fileprivate static let unreadable = HearthError(
        code: .unimplemented, message: "This daemon cannot read its configuration again.")

    fileprivate static func stalled(after patience: Duration) -> HearthError {
        HearthError(
            code: .deadlineExceeded,
            message: "The files of the configuration are still being read after "
                + "\(patience.components.seconds) s. Until they are read, the old configuration "
                + "counts. Check the file system that the files are on.")
    }
}
