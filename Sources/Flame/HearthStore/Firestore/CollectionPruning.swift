import HashTreeCollections
import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// How far the forgetting of collections that hold nothing has come, a few rows at a time.
///
///     resting --its time is over--> looking --none left--> resting
///
/// Nothing here is undone with a slice that fails: rows are looked for anew.
struct CollectionPruning {
    /// What is done next.
    enum Stage {
        /// Nothing until a time.
        case resting(until: ContinuousClock.Instant)
        /// Looks at the rows behind this one.
        case looking(behind: Int64)
    }

    var stage = Stage.looking(behind: 0)
}

extension SQLiteTransaction {
    /// Forgets the names of collections that hold neither documents nor pending writes, until a time.
    ///
    /// - Returns: Whether there are more to look at.
    func pruneCollections(
        period: Duration, until deadline: ContinuousClock.Instant
    ) throws(StoreError) -> Bool {
        if case .resting(let end) = pruning.stage {
            guard ContinuousClock.now >= end else { return false }
            pruning.stage = .looking(behind: 0)
        }
        // Work on an index remembers the collection that the work has come to, so no collection may
        // go meanwhile.
        let open = try connection.statement("SELECT 1 FROM indexes WHERE state <> 2 LIMIT 1")
        let isIndexing = try open.first { _ in true } ?? false
        while !isIndexing, case .looking(let last) = pruning.stage {
            guard let next = try pruneFew(behind: last) else { break }
            pruning.stage = .looking(behind: next)
            if ContinuousClock.now >= deadline { return true }
        }
        pruning.stage = .resting(until: .now + period)
        return false
    }

    /// - Returns: The last row that was looked at; `nil` if there were none.
    private func pruneFew(behind last: Int64) throws(StoreError) -> Int64? {
        let rows = try connection.statement(
            "SELECT id FROM collections WHERE id > ? ORDER BY id LIMIT ?")
        let found = try rows.bind(last, MaintenanceLimits.collectionCount).map { $0.int(0) }
        let empty = try connection.statement(
            """
            DELETE FROM collections WHERE id = ?1
            AND NOT EXISTS (SELECT 1 FROM remote_documents WHERE collection = ?1)
            AND NOT EXISTS (SELECT 1 FROM document_mutations WHERE collection = ?1)
            AND NOT EXISTS (
                SELECT 1 FROM mutation_queues q JOIN written_documents w ON w.queue = q.id
                WHERE w.collection = ?1)
            """)
        for id in found {
            try empty.bind(id).run()
            guard connection.changeCount > 0 else { continue }
            if let path = memory.collections.paths.removeValue(forKey: id) {
                memory.collections.ids[path] = nil
            }
            memory.lastName = nil
        }
        return found.last
    }
}
