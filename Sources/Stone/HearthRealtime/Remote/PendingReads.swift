import HashTreeCollections
import HearthEngine
import HearthModel

/// The one-time reads that wait for the backend.
///
///     waiting --connection--> asked --answer--> over
///        \--3 s--> cache         \--10 s, and the cache knows all--> cache, and late
///
/// A service that answers pings and no read keeps its link, so the link's own watch for silence would
/// let a read wait for good. One read whose answer is late stays known: the cache takes the answer in.
struct PendingReads: Sendable {
    /// How long a read waits for a connection before the cache answers.
    static let grace = Duration.seconds(3)
    /// How long a read waits for the service's answer before the cache answers, if the cache can.
    static let patience = Duration.seconds(10)

    /// One read.
    struct Row: Sendable {
        let target: ListenTarget
        let source: RealtimeSource
        /// When the cache answers for want of a connection; `nil` while the backend is asked.
        fileprivate(set) var dueAt: Timestamp?
        /// When the cache may answer for want of the backend's answer; `nil` if it may not.
        fileprivate var overdueAt: Timestamp?
        /// The number of the request on the open connection; `nil` if there was none.
        fileprivate var request: Int?
    }

    /// A read, by when the cache answers.
    private struct Waiting: Sendable {
        let dueAt: Timestamp
        let id: RequestID

        static func order(_ left: Self, _ right: Self) -> Int {
            if left.dueAt != right.dueAt { return left.dueAt < right.dueAt ? -1 : 1 }
            return left.id == right.id ? 0 : left.id < right.id ? -1 : 1
        }

        /// Whether its time has come. A clock that was set back makes nobody wait longer.
        func isOver(at now: Timestamp) -> Bool {
            dueAt <= now || dueAt.since(now) > PendingReads.patience
        }
    }

    /// A read that the cache has answered while the backend was asked.
    private struct Late: Sendable {
        let id: RequestID
        let target: ListenTarget
    }

    private var rows: TreeDictionary<RequestID, Row> = [:]
    private var waiting = OrderedTree<Waiting>()
    private var asked = OrderedTree<Waiting>()
    private var late: Late?
    /// When the timer runs out; `nil` if it does not run.
    private var timerAt: Timestamp?

    /// Whether nobody waits.
    var isEmpty: Bool { rows.isEmpty }

    /// The reads that no connection was asked for, the first due first.
    var unsent: [(id: RequestID, row: Row)] {
        waiting.elements.compactMap { read in rows[read.id].map { (read.id, $0) } }
    }

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

    /// The backend is asked, by a request's number.
    mutating func sent(_ id: RequestID, as request: Int, at now: Timestamp) {
        stopWaiting(id)
        rows[id]?.request = request
        guard rows[id]?.source == .any else { return }
        let dueAt = now.advanced(by: Self.patience)
        rows[id]?.overdueAt = dueAt
        asked.insert(Waiting(dueAt: dueAt, id: id), by: Waiting.order)
    }

    /// A read is over.
    mutating func remove(_ id: RequestID) -> Row? {
        stopWaiting(id)
        stopAsking(id)
        return rows.removeValue(forKey: id)
    }

    /// The reads of a session are over. O(reads).
    ///
    /// - Returns: The numbers of the requests whose answers nobody wants any more.
    mutating func remove(session: UInt64) -> [Int] {
        rows.keys.filter { $0.session == session }.compactMap { remove($0)?.request }
    }

    /// The reads that no connection has come for in time. They are over.
    mutating func removeDue(at now: Timestamp) -> [(id: RequestID, row: Row)] {
        var due: [(id: RequestID, row: Row)] = []
        while let next = waiting.first, next.isOver(at: now) {
            if let row = remove(next.id) { due.append((next.id, row)) }
        }
        return due
    }

    /// The reads that the backend has not answered in time. They wait on, unless the cache answers.
    mutating func takeOverdue(at now: Timestamp) -> [(id: RequestID, row: Row)] {
        var overdue: [(id: RequestID, row: Row)] = []
        while let next = asked.first, next.isOver(at: now) {
            stopAsking(next.id)
            if let row = rows[next.id] { overdue.append((next.id, row)) }
        }
        return overdue
    }

    /// The cache has answered a read that the backend was asked for. The read is over.
    ///
    /// - Returns: The number of the request, if nobody wants its answer any more; `nil` if the answer
    ///   is still for the cache.
    mutating func answeredFromCache(_ id: RequestID) -> Int? {
        guard let row = remove(id) else { return nil }
        guard late == nil else { return row.request }
        late = Late(id: id, target: row.target)
        return nil
    }

    /// What the backend was asked in a read that the cache has answered; `nil` for any other.
    mutating func takeLate(_ id: RequestID) -> ListenTarget? {
        guard let late, late.id == id else { return nil }
        self.late = nil
        return late.target
    }

    /// The connection is gone: what it was asked waits for another.
    mutating func connectionLost(at now: Timestamp) {
        late = nil
        for (id, row) in rows where row.dueAt == nil {
            stopAsking(id)
            add(id, row.target, row.source, at: now)
        }
    }

    /// When the timer must run out; `nil` if it runs out early enough, or nobody waits.
    mutating func timer(at now: Timestamp) -> Duration? {
        let next = [waiting.first?.dueAt, asked.first?.dueAt].compactMap(\.self).min()
        guard let next else { return nil }
        if let timerAt, timerAt <= next { return nil }
        timerAt = next
        return min(Self.patience, max(.zero, next.since(now)))
    }

    /// The timer has run out.
    mutating func timerFired() { timerAt = nil }

    private mutating func stopWaiting(_ id: RequestID) {
        guard let dueAt = rows[id]?.dueAt else { return }
        waiting.remove(Waiting(dueAt: dueAt, id: id), by: Waiting.order)
        rows[id]?.dueAt = nil
    }

    private mutating func stopAsking(_ id: RequestID) {
        guard let overdueAt = rows[id]?.overdueAt else { return }
        asked.remove(Waiting(dueAt: overdueAt, id: id), by: Waiting.order)
        rows[id]?.overdueAt = nil
    }
}
