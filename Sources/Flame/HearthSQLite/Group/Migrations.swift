import HearthEngine

/// Brings a file to the schema of its content: in front of the intake log, and behind it.
///
///     file of version 3   steps 4 5   intake log applied, committed   steps 6 7
///                                ^ Content.intakeVersion
struct Migrations<Content: StoreContent> {
    /// The content of the file.
    let content: Content

    /// The version of the program's schema.
    private var latest: Int { Content.steps.count }

    /// Takes the steps that come in front of the intake log, in one transaction; for a new file all of them.
    ///
    /// - Returns: The version before; 0 for a new file.
    /// - Throws: `StoreError.foreign` for a file of a later program, or of another database.
    func begin(on connection: Connection) throws(StoreError) -> Int {
        let present = try version(of: connection)
        try run(on: connection, to: present == 0 ? latest : max(present, Content.intakeVersion))
        return present
    }

    /// Whether steps are left that come behind the intake log.
    func isUnfinished(on connection: Connection) throws(StoreError) -> Bool {
        try version(of: connection) < latest
    }

    /// Takes every step that the file lacks, in one transaction.
    func run(on connection: Connection) throws(StoreError) {
        try run(on: connection, to: latest)
    }

    /// Takes every step that the file lacks up to a version.
    func run(on connection: Connection, to version: Int) throws(StoreError) {
        let present = try self.version(of: connection)
        // No step may change another store's tables, or fail on them with an error of SQLite.
        if present > 0 { try content.expectOwn(connection) }
        if present < version { try take(from: present, to: version, on: connection) }
        try content.expectOwn(connection)
    }

    /// The version of a file's schema; 0 for a new file.
    private func version(of connection: Connection) throws(StoreError) -> Int {
        let present = Int(try connection.number("PRAGMA user_version") ?? 0)
        guard (0...latest).contains(present) else {
            try expectNoOtherOwner(of: connection)
            throw .foreign(
                "schema \(present) is of a later program than this of \(latest). Update hearthd, or "
                    + "move the database and the files beside it away")
        }
        return present
    }

    /// Refuses a file of another version that tells of another owner.
    ///
    /// - Throws: `StoreError.foreign` that names the owner; nothing if the tables do not tell.
    private func expectNoOtherOwner(of connection: Connection) throws(StoreError) {
        do throws(StoreError) {
            try content.expectOwn(connection)
        } catch {
            if case .foreign = error { throw error }
        }
    }

    private func take(from present: Int, to version: Int, on connection: Connection)
        throws(StoreError)
    {
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            for step in Content.steps[present..<version] { try step.run(on: connection) }
            try content.complete(connection, from: present, to: version)
            try connection.execute("PRAGMA user_version = \(version)")
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }
}
