package import HearthEngine
import HearthModel
package import HearthSQLite

/// Makes a copy that came from outside ready to be a store of this machine.
package struct StoreAdoption<Content: RestorableContent>: Sendable {
    /// The copy.
    private let configuration: GroupStoreConfiguration<Content>

    /// Takes a copy that nobody has open.
    package init(_ configuration: GroupStoreConfiguration<Content>) {
        var configuration = configuration
        configuration.intakeByteCount = 0
        self.configuration = configuration
    }

    /// Checks the copy as bytes from outside; then brings the copy to this program's schema and
    /// does with the queue what was ordered. Blocks on the disk.
    ///
    /// - Throws: `StoreError.damaged` for a copy that is no whole store; `foreign` for a copy of
    ///   another database or of a later program.
    /// - Complexity: O(size of the copy).
    package func run(_ queue: RestoredQueue) throws(StoreError) -> RestoredCounts {
        defer { configuration.files.removeHelpers() }
        try StoreInspection(configuration).run()
        try StoreNumbers(on: Connection(path: configuration.path, isReadOnly: true)).check()
        try migrate()
        let connection = try Connection(path: configuration.path, isReadOnly: false)
        let counts = try counts(on: connection)
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try adopt(queue, on: connection)
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
        return counts
    }

    /// Opening brings the copy to the present schema, and refuses the copy of another database.
    private func migrate() throws(StoreError) {
        let store = try GroupStore(configuration)
        if let damage = try store.queueContradiction() { throw .damaged(damage) }
    }

    private func counts(on connection: Connection) throws(StoreError) -> RestoredCounts {
        func number(_ sql: String) throws(StoreError) -> Int {
            Int(try connection.number(sql) ?? 0)
        }
        return RestoredCounts(
            batchCount: try number("SELECT count(*) FROM mutations"),
            sentCount: try number(
                """
                SELECT count(*) FROM mutation_queues q JOIN mutations m
                    ON m.id > q.id << 44 AND m.id < (q.id + 1) << 44
                WHERE m.state = 0 AND m.id & \(BatchRow.numberMax) <= q.sent
                """),
            deadLetterCount: try number("SELECT count(*) FROM dead_letters"))
    }

    private func adopt(_ queue: RestoredQueue, on connection: Connection) throws(StoreError) {
        try connection.execute("UPDATE store SET intake_salt = 0")
        try countOn(connection)
        switch queue {
        case .keep: break
        case .hold:
            try rename(on: connection)
            try connection.execute(
                """
                UPDATE mutations SET state = 1;
                UPDATE store SET held_batches = batches;
                """)
        case .drop:
            try rename(on: connection)
            try drop(on: connection)
        }
    }

    /// Has the next batch come behind every batch that is there, whatever the counter says: the daemon would
    /// end at a batch whose number is not the highest.
    private func countOn(_ connection: Connection) throws(StoreError) {
        let last = Content.lastNumber
        try connection.execute(
            """
            UPDATE store SET \(last) = max(\(last),
                (SELECT coalesce(max(id & \(BatchRow.numberMax)), 0) FROM mutations),
                (SELECT coalesce(max(batch), 0) FROM dead_letters))
            """)
        let number = try connection.number("SELECT \(last) FROM store") ?? 0
        guard number <= StoreNumbers.batchMax else {
            throw .damaged("a number of its batches is one that no daemon gives")
        }
    }

    /// Gives the store a name that no other daemon's store has.
    ///
    /// Under the old name, new batches would have the numbers of batches that the other daemon has
    /// sent: a marker would tell of a new batch that the backend has applied the batch.
    private func rename(on connection: Connection) throws(StoreError) {
        try connection.execute(
            "UPDATE store SET daemon = lower(hex(randomblob(8))); \(Content.forgetsSendings)")
    }

    private func drop(on connection: Connection) throws(StoreError) {
        try connection.execute(Content.settlesDropped)
        try connection.statement(
            "UPDATE write_records SET outcome = 3, code = ?, message = ? WHERE outcome = 0"
        ).bind(
            Int64(StatusCode.aborted.rawValue),
            "The write waited when a backup was made, and was dropped when the backup was restored."
        ).run()
        for table in Content.queueTables { try connection.execute("DELETE FROM \(table)") }
        try connection.execute(
            "UPDATE store SET batches = 0, held_batches = 0, batch_bytes = 0, dead_letters = 0")
    }
}
