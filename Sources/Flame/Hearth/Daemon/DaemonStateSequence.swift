import HearthEngine
import HearthModel
import HearthWire

/// The states of a database: the present one first, then one for each change.
///
///     for await state in firestore.states { ... }
///
/// The loop looks when it asks for the next state, so nothing piles up: a slow loop gets the newest
/// state and skips those before. Without a loop nothing is asked. The sequence goes on over restarts
/// of the daemon, and ends when the task is cancelled or the database is terminated.
public struct DaemonStateSequence: AsyncSequence, Sendable {
    /// How long the daemon may take to answer until it counts as unreachable.
    static let patience = Duration.seconds(2)

    /// Asks for the status.
    let look: @Sendable () async throws -> DaemonStatus
    /// Whether the database was terminated.
    let isOver: @Sendable () -> Bool
    /// How often the daemon is asked at most.
    let pause: Duration
    var patience = DaemonStateSequence.patience

    /// Begins with the present state.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// One loop over the states.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let sequence: DaemonStateSequence
        private var last: DaemonState?
        private var nextLook = ContinuousClock.now

        fileprivate init(sequence: DaemonStateSequence) { self.sequence = sequence }

        /// Waits for a state that differs from the one before; `nil` at the end.
        public mutating func next() async -> DaemonState? {
            while !Task.isCancelled, !sequence.isOver() {
                guard (try? await Task.sleep(until: nextLook)) != nil else { return nil }
                nextLook = .now + sequence.pause
                guard let state = await sequence.state(after: last) else { return nil }
                guard state != last else { continue }
                last = state
                return state
            }
            return nil
        }
    }

    /// The present state; `nil` if the task was cancelled or the database was terminated.
    private func state(after last: DaemonState?) async -> DaemonState? {
        do {
            return DaemonState(try await status())
        } catch is CancellationError {
            return nil
        } catch {
            guard !isOver() else { return nil }
            return DaemonState(unreachable: FirestoreError(telling: error), after: last)
        }
    }

    private func status() async throws -> DaemonStatus {
        try await withThrowingTaskGroup(of: DaemonStatus.self) { [look, patience] group in
            group.addTask { try await look() }
            group.addTask {
                try await Task.sleep(for: patience)
                throw FirestoreError(
                    .unavailable,
                    "The daemon has not answered for \(patience). See `hearth doctor`.")
            }
            defer { group.cancelAll() }
            guard let status = try await group.next() else { throw CancellationError() }
            return status
        }
    }
}

extension FirestoreError {
    /// An error of either kind of database as Firestore tells it: the codes are the same.
    fileprivate init(telling error: any Error) {
        switch error {
        case let error as FirestoreError: self = error
        case let error as DatabaseError: self.init(error.code, error.message)
        default: self.init(.unknown, "\(error)")
        }
    }
}

extension DaemonDatabase {
    /// The states of this database: whether the backend is there, what waits, what was rejected.
    ///
    /// The daemon is asked twice a second while a loop waits for the next state; a look costs the
    /// daemon microseconds.
    public var states: DaemonStateSequence { states(every: .milliseconds(500)) }

    /// The states of this database, looked for less often or more often.
    ///
    /// - Parameter pause: How long the loop waits from one look to the next.
    public func states(every pause: Duration) -> DaemonStateSequence {
        DaemonStateSequence(
            look: { try await daemonStatus() }, isOver: operatorDesk.isOver, pause: pause)
    }
}
