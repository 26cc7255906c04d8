import HearthFirestore
import HearthModel
import HearthServer

/// The newest that each query of a target has told, and what follows for the target.
///
/// What follows is kept beside the parts: a target of many names is asked after each snapshot.
struct TargetParts: Sendable {
    private struct Part: Sendable {
        let id: SnapshotID
        let isFromCache: Bool
        let hasPendingWrites: Bool
        let readAt: SnapshotVersion
    }

    private var parts: [Part?]
    /// Queries that have told nothing yet.
    private var silentCount: Int
    private var cachedCount = 0
    private var pendingCount = 0
    /// Up to when the backend has told of the target; zero if it never has.
    private(set) var readAt = SnapshotVersion.zero

    /// Queries that have told nothing yet.
    init(queryCount: Int) {
        parts = Array(repeating: nil, count: queryCount)
        silentCount = queryCount
    }

    /// Whether each query has told something.
    var isComplete: Bool { silentCount == 0 }

    /// Whether the backend may know better than the picture.
    var isFromCache: Bool { silentCount > 0 || cachedCount > 0 }

    /// Whether something that is told waits for the backend.
    var hasPendingWrites: Bool { pendingCount > 0 }

    /// Takes a snapshot of a query. O(1), or O(queries) if the snapshot is of an earlier time than
    /// the last one.
    ///
    /// - Returns: Whether the snapshot goes on from the query's last one.
    mutating func take(_ shared: SharedSnapshot, of query: Int) -> Bool {
        let old = parts[query]
        let new = Part(
            id: shared.snapshot.id, isFromCache: shared.snapshot.isFromCache,
            hasPendingWrites: shared.snapshot.hasPendingWrites, readAt: shared.snapshot.readAt)
        parts[query] = new
        count(old, -1)
        count(new, 1)
        if new.readAt >= readAt {
            readAt = new.readAt
        } else if old?.readAt == readAt {
            readAt = parts.lazy.compactMap { $0?.readAt }.max() ?? .zero
        }
        guard let base = shared.snapshot.base else { return false }
        return base == old?.id
    }

    private mutating func count(_ part: Part?, _ change: Int) {
        guard let part else {
            silentCount += change
            return
        }
        if part.isFromCache { cachedCount += change }
        if part.hasPendingWrites { pendingCount += change }
    }
}
