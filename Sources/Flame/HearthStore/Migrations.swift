import HearthEngine
import HearthFirestore
import HearthModel

/// Brings a file to the schema of this program, all or nothing.
enum Migrations {
    /// Takes every step that the file lacks, in one transaction, and returns the version before; `nil`
    /// if there was nothing to change, or no file.
    ///
    /// - Throws: `StoreError.foreign` for a file of a later program, or of another database.
    @discardableResult
    static func run(on connection: Connection, for database: DatabaseID) throws(StoreError) -> Int?
    {
        try run(on: connection, for: database, to: Schema.version)
    }

    /// The same up to a version; only tests stop at an older one.
    @discardableResult
    static func run(
        on connection: Connection, for database: DatabaseID, to version: Int
    ) throws(StoreError) -> Int? {
        let present = Int(try connection.number("PRAGMA user_version") ?? 0)
        guard present <= version else {
            throw .foreign("schema \(present) is of a later program than this of \(version)")
        }
        if present < version {
            try connection.execute("BEGIN IMMEDIATE")
            do throws(StoreError) {
                for step in Schema.steps[present..<version] { try connection.execute(step) }
                if present == 0 { try fill(connection, for: database) }
                if version >= Schema.nameVersion { try connection.execute(Schema.naming) }
                try connection.execute("PRAGMA user_version = \(version)")
                try connection.execute("COMMIT")
            } catch {
                try? connection.execute("ROLLBACK")
                throw error
            }
        }
        let name = try connection.text("SELECT database FROM store")
        guard let name else { throw .damaged("its row of counters is gone") }
        guard utf8Equals(name, database.name) else {
            throw .foreign("it belongs to \(name), not to \(database.name)")
        }
        return present > 0 && present < version ? present : nil
    }

    private static func fill(_ connection: Connection, for database: DatabaseID)
        throws(StoreError)
    {
        let statement = try connection.statement(
            """
            INSERT INTO store (id, database, version, highest_target, sequence,
                last_remote_version, last_batch)
            VALUES (1, ?, 0, 0, 0, ?, 0)
            """)
        try statement.bind(database.name, TimeBytes.bytes(of: SnapshotVersion.zero)).run()
    }
}
