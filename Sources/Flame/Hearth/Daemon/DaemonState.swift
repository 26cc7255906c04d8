import HearthWire

/// How a database stands to its backend, in what a program may want to show a person.
public struct DaemonState: Hashable, Sendable {
    /// Whether what the program sees is the backend's.
    public enum Connection: String, Hashable, Sendable {
        /// Nobody asks anything of the backend, so the daemon does not try the backend.
        case idle
        /// The daemon tries the backend.
        case connecting
        /// The backend answers.
        case online
        /// The backend does not answer.
        case offline
        /// An administrator keeps the daemon from the backend.
        case networkOff
        /// The daemon answers and cannot tell its state yet, because it opens its store.
        case starting
        /// The daemon does not answer, or refuses this program; `lastError` says why.
        case unreachable
    }

    /// Whether what the program sees is the backend's.
    public let connection: Connection
    /// Batches of all programs that wait for the backend, with the held batches.
    public let waitingBatchCount: Int
    /// Batches that an administrator holds.
    public let heldBatchCount: Int
    /// When the oldest of the waiting batches was written; `nil` if none waits.
    public let oldestWrittenAt: Timestamp?
    /// Rejected batches, which a person should look at.
    public let deadLetterCount: Int
    /// Why the backend could not be reached the last time, or with `unreachable` the daemon; `nil`
    /// once the backend has answered.
    public let lastError: FirestoreError?

    /// The state that a status tells.
    init(_ status: DaemonStatus) {
        connection = Connection(status)
        waitingBatchCount = status.queueBatchCount
        heldBatchCount = status.heldBatchCount
        oldestWrittenAt = status.oldestWrittenAt
        deadLetterCount = status.deadLetterCount
        lastError = status.connectionError
    }

    /// The state while the daemon tells none: the queue is as it was told last.
    ///
    /// - Parameter error: Why the daemon does not answer; `nil` if it only starts.
    init(untold error: FirestoreError?, after last: DaemonState?) {
        connection = error == nil ? .starting : .unreachable
        waitingBatchCount = last?.waitingBatchCount ?? 0
        heldBatchCount = last?.heldBatchCount ?? 0
        oldestWrittenAt = last?.oldestWrittenAt
        deadLetterCount = last?.deadLetterCount ?? 0
        lastError = error
    }
}

extension DaemonState.Connection {
    fileprivate init(_ status: DaemonStatus) {
        guard status.isNetworkEnabled else {
            self = .networkOff
            return
        }
        switch status.onlineState {
        case .online: self = .online
        case .offline: self = .offline
        case .unknown:
            self = status.isIdle ? .idle : .connecting
        }
    }
}
