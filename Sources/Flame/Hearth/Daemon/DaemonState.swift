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
    /// Whether nobody knows at this moment what waits: the daemon cannot read its store, or tells no state
    /// (`starting`, `unreachable`).
    ///
    /// The counts and `oldestWrittenAt` are then those that the sequence told last, and 0 and `nil` if it has told
    /// none. An app that shows a queue shows such a count as unknown or as old, never as the truth.
    public let hasUnknownCounts: Bool
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

    /// The state that a status tells. Counts that the status does not know are as they were told last.
    init(_ status: DaemonStatus, after last: DaemonState?) {
        connection = Connection(status)
        hasUnknownCounts = status.hasUnknownCounts
        lastError = status.connectionError
        if status.hasUnknownCounts {
            waitingBatchCount = last?.waitingBatchCount ?? 0
            heldBatchCount = last?.heldBatchCount ?? 0
            oldestWrittenAt = last?.oldestWrittenAt
            deadLetterCount = last?.deadLetterCount ?? 0
        } else {
            waitingBatchCount = status.queueBatchCount
            heldBatchCount = status.heldBatchCount
            oldestWrittenAt = status.oldestWrittenAt
            deadLetterCount = status.deadLetterCount
        }
    }

    /// The state while the daemon tells none: the queue is as it was told last.
    ///
    /// - Parameter error: Why the daemon does not answer; `nil` if it only starts.
    init(untold error: FirestoreError?, after last: DaemonState?) {
        connection = error == nil ? .starting : .unreachable
        hasUnknownCounts = true
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
