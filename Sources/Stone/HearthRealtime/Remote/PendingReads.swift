import HashTreeCollections
import HearthEngine
import HearthModel

/// The one-time reads that wait for the backend.
struct PendingReads: Sendable {
    /// How long a read waits for a connection before the cache answers.
    static let grace = Duration.seconds(3)

    /// One read.
    struct Row: Sendable {
        let target: ListenTarget
        let source: RealtimeSource
        /// When the cache answers; `nil` while the backend is asked.
        fileprivate(set) var dueAt: Timestamp?
    }

    private var rows: TreeDictionary<RequestID, Row> = [:]

    /// Whether nobody waits.
    var isEmpty: Bool { rows.isEmpty }

    /// A read.
    subscript(id: RequestID) -> Row? { rows[id] }

    /// The reads that the backend has not been asked for, in the order of their numbers.
    var unsent: [(id: RequestID, row: Row)] {
        rows.filter { $0.value.dueAt != nil }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }

    /// When the cache answers next; `nil` if the backend is asked for all.
    var nextDueAt: Timestamp? { rows.values.lazy.compactMap(\.dueAt).min() }

    /// All reads.
    var ids: [RequestID] { rows.keys.sorted() }

    /// A read waits for a connection.
    mutating func add(
        _ id: RequestID, _ target: ListenTarget, _ source: RealtimeSource, at now: Timestamp
    ) {
        rows[id] = Row(target: target, source: source, dueAt: now.advanced(by: Self.grace))
    }

    /// The backend is asked.
    mutating func sent(_ id: RequestID) { rows[id]?.dueAt = nil }

    /// A read is over.
    mutating func remove(_ id: RequestID) -> Row? { rows.removeValue(forKey: id) }

    /// The reads of a session are over.
    mutating func remove(session: UInt64) {
        for id in rows.keys where id.session == session { rows[id] = nil }
    }

    /// The reads whose time has come. They are over.
    mutating func removeDue(at now: Timestamp) -> [(id: RequestID, row: Row)] {
        let due = unsent.filter { $0.row.dueAt.map { $0 <= now } ?? false }
        for read in due { rows[read.id] = nil }
        return due
    }

    /// The connection is gone: what it was asked waits for another.
    mutating func connectionLost(at now: Timestamp) {
        for (id, row) in rows where row.dueAt == nil {
            rows[id]?.dueAt = now.advanced(by: Self.grace)
        }
    }
}
