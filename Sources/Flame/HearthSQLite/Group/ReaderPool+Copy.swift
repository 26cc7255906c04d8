import Glibc
package import HearthEngine

/// A copy of a whole store, made beside the writer.
package struct StoreCopy: Hashable, Sendable {
    /// The version of the store that the copy holds.
    package let version: StoreVersion
    /// The size of the copy.
    package let byteCount: Int
}

extension ReaderPool {
    /// Writes a copy of the store as one commit left the store, without free pages and without a log.
    ///
    /// The copy holds every group that was accepted before the call, and a prefix of the groups that
    /// are accepted during the call. The writer goes on meanwhile: a copy is one long read, on the
    /// calling thread. The copy knows no intake log, so the copy alone is the whole store.
    ///
    /// - Parameter path: Where the copy goes. Whatever lies there is replaced; only the owner may
    ///   read the copy.
    /// - Throws: `StoreError.full` if there is no room; `io` if accepted groups cannot be committed
    ///   first; errors of the disk. What was written of the copy is removed then.
    /// - Complexity: O(size of the store).
    package func copy(to path: String) throws(StoreError) -> StoreCopy {
        guard showsAllWrites(attemptCountMax: CopyLimits.attemptCountMax) else {
            throw .io("accepted writes wait that cannot be committed to the database now")
        }
        try SystemErrors.removeFile(at: path)
        do throws(StoreError) {
            return try makeCopy(at: path)
        } catch {
            try? SystemErrors.removeFile(at: path)
            try? SystemErrors.removeFile(at: path + "-journal")
            throw error
        }
    }

    /// Whether the intake log has groups that the database lacks, in a store that nobody has open.
    ///
    /// - Throws: `StoreError` if the files cannot be read.
    package func lacksGroups() throws(StoreError) -> Bool {
        let connection = try connect()
        let transaction = configuration.content.transaction(on: connection)
        guard let salt = try transaction.intakeSalt(),
            let log = try IntakeLog(
                openingAt: IntakeLog.path(besides: configuration.path), salt: salt)
        else { return false }
        let contents = try log.read(behind: try transaction.soundVersion())
        return !contents.records.isEmpty || !contents.stragglers.isEmpty
    }

    private func makeCopy(at path: String) throws(StoreError) -> StoreCopy {
        let source = try Connection(path: configuration.path, isReadOnly: true)
        try source.execute(
            "PRAGMA cache_size = -\(configuration.memory.readerPageCacheByteCount >> 10)")
        try expectRoom(for: try usedByteCount(source), at: path)
        try SystemErrors.makePrivateFile(at: path)
        try source.statement("VACUUM INTO ?").bind(path).run()
        let copy = try Connection(path: path, isReadOnly: false)
        try copy.execute("UPDATE store SET intake_salt = 0")
        let version = try configuration.content.transaction(on: copy).storedVersion()
        return StoreCopy(version: version, byteCount: try usedByteCount(copy))
    }

    /// The bytes of the pages in use.
    private func usedByteCount(_ connection: Connection) throws(StoreError) -> Int {
        let pages = try connection.number("PRAGMA page_count") ?? 0
        let free = try connection.number("PRAGMA freelist_count") ?? 0
        return Int(pages - free) * Int(try connection.number("PRAGMA page_size") ?? 0)
    }

    /// Refuses a copy that would leave the disk hardly any room.
    private func expectRoom(for byteCount: Int, at path: String) throws(StoreError) {
        var status = statvfs()
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        guard statvfs(folder.isEmpty ? "/" : folder, &status) == 0 else { return }
        let room = UInt(status.f_bavail) * UInt(status.f_frsize)
        guard room >= UInt(byteCount + CopyLimits.roomLeftByteCountMin) else {
            throw .full(
                "a copy takes \(byteCount >> 20) MiB beside the store, and \(room >> 20) MiB are free"
            )
        }
    }
}

/// The limits of copies.
package enum CopyLimits {
    /// The room that a copy leaves on the disk: a copy that fills the disk would stop the store.
    package static let roomLeftByteCountMin = 64 << 20
    /// How often a copy waits for the open group, each time `StoreLimits.readerWaitMilliseconds`.
    static let attemptCountMax = 10
}
