package import HearthEngine
import HearthFirestore
import HearthModel
package import HearthSQLite

/// What was saved of a damaged store, and how it is put into a new one.
extension SQLiteStore {
    /// Moves a damaged store out of the way (`StoreFiles.setAside`).
    ///
    /// - Returns: What was saved of it.
    package static func setAside(_ configuration: StoreConfiguration, to path: String)
        throws(StoreError) -> Salvage
    {
        let files = configuration.files
        return try files.whileLocked { () throws(StoreError) in
            try files.setAside(to: path)
            return Salvage(path, of: configuration.database)
        }
    }

    /// Looks at the files before they are opened.
    package static func survey(_ configuration: StoreConfiguration) throws(StoreError)
        -> StoreSurvey
    {
        try configuration.files.whileLocked { StoreSurvey(configuration) }
    }

    /// Why what tells whose the queues are contradicts itself; `nil` if it does not.
    ///
    /// The table of queues and its indexes say the same. Where they differ one of them is damaged, of which SQLite
    /// notices nothing: a queue would seem to be another user's, and its batches would wait for ever. O(queues).
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

    /// Puts what was saved into this store, which is new: batches under their numbers and with their states,
    /// whatever the limits, and with their effects, so that they show. Durable when it returns.
    package func restore(_ salvage: Salvage) throws(StoreError) {
        try transaction { _ throws(StoreError) in
            for batch in salvage.batches { try open.append(batch) }
            for letter in salvage.deadLetters { try open.appendDeadLetter(letter) }
            for user in Set(salvage.batches.map(\.user)) {
                try LocalStore.restoreOverlays(of: user, open)
            }
            for (user, eras) in salvage.markerEras { try open.setMarkerEras(eras, of: user) }
            if let daemon = salvage.daemon { try open.restoreName(daemon) }
            for (write, record) in salvage.records { try open.restore(record, of: write) }
            for writes in salvage.forgotten { try open.restore(writes) }
            var globals = try open.globals()
            globals.lastBatchID = salvage.lastBatchID  // No number may be used twice.
            globals.createsIndexes = salvage.createsIndexes
            try open.setGlobals(globals)
        }
    }
}
