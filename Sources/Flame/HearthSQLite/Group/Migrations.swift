import HearthEngine

/// Brings a file to the schema of its content, all or nothing.
struct Migrations<Content: StoreContent> {
    /// Whose file it is.
    let content: Content

    /// Takes every step that the file lacks, in one transaction, and returns the version before; `nil`
    /// if there was nothing to change, or no file.
    ///
    /// - Throws: `StoreError.foreign` for a file of a later program, or of another database.
    @discardableResult
    func run(on connection: Connection) throws(StoreError) -> Int? {
        try run(on: connection, to: Content.steps.count)
    }

    /// The same up to a version; only tests stop at an older one.
    @discardableResult
    func run(on connection: Connection, to version: Int) throws(StoreError) -> Int? {
        let present = Int(try connection.number("PRAGMA user_version") ?? 0)
        guard present <= version else {
            throw .foreign("schema \(present) is of a later program than this of \(version)")
        }
        if present < version { try take(from: present, to: version, on: connection) }
        try content.expectOwn(connection)
        return present > 0 && present < version ? present : nil
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
