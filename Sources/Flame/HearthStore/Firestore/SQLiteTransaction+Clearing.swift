import HashTreeCollections
package import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// Forgets the cache and the queue.
extension SQLiteTransaction {
    /// The tables that stay: counters, what keeps old resends from being taken for new writes, and what
    /// the backend bills all the same.
    private static let kept = ["store", "forgotten_writes", "data_migrations", "ledger"]

    package func removeAll() throws(StoreError) {
        var globals = try globals()
        globals.lastRemoteVersion = .zero
        try noteAllForgotten()
        for table in try tables() where !Self.kept.contains(table) {
            try connection.execute("DELETE FROM \(table)")
        }
        memory = Memory()
        try tally { $0 = Tallies() }
        try setGlobals(globals)
        memory.group.hasChanges = true
        changes.insertAll()
    }

    private func tables() throws(StoreError) -> [String] {
        let statement = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        var names: [String] = []
        try statement.forEach { row throws(StoreError) in
            if let name = row.text(0) { names.append(name) }
        }
        return names
    }
}
