package import HearthEngine
import HearthFirestore
import HearthModel
package import HearthSQLite

/// How the contents of a damaged store are saved and put into a new store.
extension GroupStore where Content: SalvagedContent {
    /// Moves a damaged store out of the way (`StoreFiles.setAside`).
    ///
    /// - Returns: What was saved of the store.
    /// - Throws: `StoreError.locked` if another process has the store open, or the error of the
    ///   move.
    package static func setAside(_ configuration: GroupStoreConfiguration<Content>, to path: String)
        throws(StoreError) -> Salvage<Content>
    {
        let files = configuration.files
        return try files.whileLocked { () throws(StoreError) in
            try files.setAside(to: path)
            return Salvage(path, of: configuration.content)
        }
    }

    /// Looks at the files before they are opened.
    ///
    /// - Throws: `StoreError.locked` if another process has the store open; `io` if something else than
    ///   a plain file has the place of one of the files.
    package static func survey(_ configuration: GroupStoreConfiguration<Content>) throws(StoreError)
        -> StoreSurvey
    {
        try configuration.files.whileLocked { () throws(StoreError) in
            try configuration.files.expectPlain()
            return StoreSurvey(configuration)
        }
    }

    /// Why the sources that tell the queues' users contradict each other; `nil` if they agree.
    ///
    /// The table of queues and the table's indexes say the same. Where the table and an index
    /// differ, one is damaged, and SQLite does not notice the damage. A queue would seem to be
    /// another user's, and the batches in the queue would wait for ever. O(queues).
    ///
    /// - Throws: `StoreError` if SQLite cannot read the queues.
    package func queueContradiction() throws(StoreError) -> String? {
        let table = "FROM mutation_queues"
        let indexes = [
            ("id, user, sent", "mutation_queues_by_sent"),
            ("id, user", "sqlite_autoindex_mutation_queues_1"),
        ]
        let differences = indexes.flatMap { columns, index in
            let rows = "SELECT \(columns) \(table) NOT INDEXED"
            let listed = "SELECT \(columns) \(table) INDEXED BY \(index)"
            return ["\(rows) EXCEPT \(listed)", "\(listed) EXCEPT \(rows)"]
        }
        let sum = differences.map { "(SELECT count(*) FROM (\($0)))" }.joined(separator: " + ")
        let count = try transaction { _ throws(StoreError) in
            try open.connection.number("SELECT \(sum)")
        }
        return count == 0 ? nil : "its table of queues and the indexes of it differ"
    }

    /// Puts a salvage into this store, which must be new.
    ///
    /// The batches keep their numbers and states, whatever the limits. The store computes the
    /// batches' effects anew, so that readers see the writes. The restored content is durable when
    /// the call returns.
    ///
    /// - Throws: `StoreError` if the disk does not take the content.
    package func restore(_ salvage: Salvage<Content>) throws(StoreError) {
        try transaction { _ throws(StoreError) in
            try configuration.content.restore(salvage, in: open)
            for (write, record) in salvage.records { try open.restore(record, of: write) }
            for writes in salvage.forgotten { try open.restore(writes) }
        }
    }
}
