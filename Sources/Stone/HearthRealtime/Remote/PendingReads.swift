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

    /// A read that no connection was asked for, by when the cache answers.
    private struct Waiting: Sendable {
        let dueAt: Timestamp
        let id: RequestID

        static func order(_ left: Self, _ right: Self) -> Int {
            if left.dueAt != right.dueAt { return left.dueAt < right.dueAt ? -1 : 1 }
            return left.id == right.id ? 0 : left.id < right.id ? -1 : 1
        }
    }

    private var rows: TreeDictionary<RequestID, Row> = [:]
    private var waiting = OrderedTree<Waiting>()

    /// Whether nobody waits.
    var isEmpty: Bool { rows.isEmpty }

    /// The reads that no connection was asked for, the first due first.
    var unsent: [(id: RequestID, row: Row)] {
        waiting.elements.compactMap { read in rows[read.id].map { (read.id, $0) } }
    }

    /// When the cache answers next; `nil` if the backend is asked for all.
    var nextDueAt: Timestamp? { waiting.first?.dueAt }

    /// All reads.
    var ids: [RequestID] { rows.keys.sorted() }

    /// A read waits for a connection.
    mutating func add(
        _ id: RequestID, _ target: ListenTarget, _ source: RealtimeSource, at now: Timestamp
    ) {
        let dueAt = now.advanced(by: Self.grace)
        rows[id] = Row(target: target, source: source, dueAt: dueAt)
        waiting.insert(Waiting(dueAt: dueAt, id: id), by: Waiting.order)
    }

    /// The backend is asked.
    mutating func sent(_ id: RequestID) { stopWaiting(id) }

    /// A read is over.
    mutating func remove(_ id: RequestID) -> Row? {
        stopWaiting(id)
        return rows.removeValue(forKey: id)
    }

    /// The reads of a session are over. O(reads).
    mutating func remove(session: UInt64) {
        for id in rows.keys where id.session == session { _ = remove(id) }
    }

    /// The reads whose time has come. They are over.
    mutating func removeDue(at now: Timestamp) -> [(id: RequestID, row: Row)] {
        var due: [(id: RequestID, row: Row)] = []
        while let next = waiting.first, next.dueAt <= now {
            if let row = remove(next.id) { due.append((next.id, row)) }
        }
        return due
    }

    /// The connection is gone: what it was asked waits for another.
    mutating func connectionLost(at now: Timestamp) {
        for (id, row) in rows where row.dueAt == nil {
            add(id, row.target, row.source, at: now)
        }
    }

    private mutating func stopWaiting(_ id: RequestID) {
        guard let dueAt = rows[id]?.dueAt else { return }
        waiting.remove(Waiting(dueAt: dueAt, id: id), by: Waiting.order)
        rows[id]?.dueAt = nil
    }
}
