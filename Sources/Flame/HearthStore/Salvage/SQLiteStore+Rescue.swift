import CLinux
import Glibc
package import HearthEngine
import HearthFirestore
package import HearthModel

/// How a damaged store is taken out of the way, and what was saved of it put into a new one.
extension SQLiteStore {
    /// Where a damaged store is moved to: nothing has this name yet. The time is in whole seconds since 1970.
    package static func setAsidePath(_ configuration: StoreConfiguration, at time: Timestamp)
        -> String
    {
        var seconds = time.seconds
        func path() -> String { "\(configuration.path).damaged-\(seconds)" }
        while access(path(), F_OK) == 0 { seconds += 1 }
        return path()
    }

    /// Moves a damaged store out of the way, where a person can look at it; does nothing if it is there
    /// already. What lies in its place then is of a new store, in which nothing is yet, and is removed.
    ///
    /// May be ended at any time and called again. On the disk when it returns.
    ///
    /// - Returns: What was saved of it.
    package static func setAside(_ configuration: StoreConfiguration, to path: String)
        throws(StoreError) -> Salvage
    {
        let lock = try FileLock(path: configuration.path + "-lock")
        if access(path, F_OK) == 0 {
            for suffix in fileSuffixes {
                try SystemErrors.removeFile(at: configuration.path + suffix)
            }
        } else {
            try move(configuration.path, to: path)
        }
        let salvage = Salvage(path, of: configuration.database)
        _ = lock
        return salvage
    }

    /// Looks at the files before they are opened.
    package static func survey(_ configuration: StoreConfiguration) throws(StoreError)
        -> StoreSurvey
    {
        let lock = try FileLock(path: configuration.path + "-lock")
        let survey = StoreSurvey(configuration)
        _ = lock
        return survey
    }

    /// Moves an intake log that is none of this store's out of the way.
    ///
    /// - Returns: Where it is now.
    package static func setAsideIntake(_ configuration: StoreConfiguration, at time: Timestamp)
        throws(StoreError) -> String
    {
        let lock = try FileLock(path: configuration.path + "-lock")
        let path = setAsidePath(configuration, at: time) + "-intake"
        try SystemErrors.renameFile(from: IntakeLog.path(besides: configuration.path), to: path)
        _ = lock
        return path
    }

    /// The file goes last, for good only when the others have: where it is, they belong.
    private static func move(_ path: String, to other: String) throws(StoreError) {
        try SystemErrors.makePrivateFile(at: path)  // One that is gone is moved as an empty one.
        for suffix in fileSuffixes {
            if suffix.isEmpty { try syncFolder(of: path) }
            try SystemErrors.renameFile(from: path + suffix, to: other + suffix)
        }
        try syncFolder(of: path)
    }

    private static func syncFolder(of path: String) throws(StoreError) {
        guard clinux_sync_folder_of(path) == 0 else {
            throw SystemErrors.error(errno, "syncing the folder of \(path)")
        }
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
