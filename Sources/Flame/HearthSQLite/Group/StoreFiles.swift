import CLinux
import Glibc
package import HearthEngine
package import HearthModel

/// The files of one store: the database, and what lies beside it.
package struct StoreFiles: Hashable, Sendable {
    /// The endings of the names of a store's files.
    ///
    /// The database is last: once a move has brought the database to a place, the other files are
    /// there too.
    package static let suffixes = ["-intake", "-wal", "-shm", ""]

    /// The database.
    package let path: String

    /// Names the files of the database at `path`.
    package init(path: String) {
        self.path = path
    }

    /// The file whose lock tells that a process has the store open.
    package var lockPath: String { path + "-lock" }

    /// Expects nothing but plain files in the places of the store's files.
    ///
    /// - Throws: `StoreError.io` that names what is there.
    package func expectPlain() throws(StoreError) {
        try PlainFile.expectDatabase(at: path)
        try PlainFile.expect(at: IntakeLog.path(besides: path))
    }

    /// Runs `body` while nobody else has the store open.
    ///
    /// - Throws: `StoreError.locked` if another process has the store open, or the error of `body`.
    package func whileLocked<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError)
        -> Result
    {
        let lock = try FileLock(path: lockPath)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// Forgets the store: the database and what lies beside it.
    ///
    /// - Throws: `StoreError.locked` if another process has the store open; `io` if a file cannot
    ///   be removed.
    package func remove() throws(StoreError) {
        try whileLocked { () throws(StoreError) in
            try removeData()
            try SystemErrors.removeFile(at: lockPath)
        }
    }

    /// Removes the files that an opening left beside a database; the database was closed in order and
    /// holds everything.
    package func removeHelpers() {
        for suffix in ["-lock", "-wal", "-shm"] { unlink(path + suffix) }
    }

    private func removeData() throws(StoreError) {
        for suffix in Self.suffixes { try SystemErrors.removeFile(at: path + suffix) }
    }

    /// Where a damaged store is moved to: nothing has this name yet. The time is in whole seconds since 1970.
    package func setAsidePath(at time: Timestamp) -> String {
        var seconds = time.seconds
        func name() -> String { "\(path).damaged-\(seconds)" }
        while ["", "-intake", "-report"].contains(where: { access(name() + $0, F_OK) == 0 }) {
            seconds += 1
        }
        return name()
    }

    /// Moves a damaged store out of the way, where a person can look at the store.
    ///
    /// If an earlier call has moved the store already, the files in the old place are of a new
    /// store with nothing in it, and this call removes them.
    ///
    /// A crash may end the call at any time; the next call goes on. The move is on the disk when
    /// the call returns. Needs the lock.
    ///
    /// - Parameter other: The new path of the database.
    /// - Throws: `StoreError` if a file cannot be moved or removed.
    package func setAside(to other: String) throws(StoreError) {
        if access(other, F_OK) == 0 { return try removeData() }
        // Whoever cannot tell whether the old store lies there must not move another over it.
        guard errno == ENOENT else { throw SystemErrors.error(errno, "looking for \(other)") }
        try move(to: other)
    }

    /// Moves the database last, once the other moves are on the disk.
    ///
    /// The other files belong where the database is.
    private func move(to other: String) throws(StoreError) {
        try SystemErrors.makePrivateFile(at: path)  // One that is gone is moved as an empty one.
        for suffix in Self.suffixes {
            if suffix.isEmpty { try syncFolder() }
            try SystemErrors.renameFile(from: path + suffix, to: other + suffix)
        }
        try syncFolder()
    }

    private func syncFolder() throws(StoreError) {
        guard clinux_sync_folder_of(path) == 0 else {
            throw SystemErrors.error(errno, "syncing the folder of \(path)")
        }
    }

    /// Moves an intake log of another store out of the way.
    ///
    /// - Returns: Where the log is now.
    /// - Throws: `StoreError.locked` if another process has the store open; `io` if the log cannot
    ///   be renamed.
    package func setAsideIntake(at time: Timestamp) throws(StoreError) -> String {
        try whileLocked { () throws(StoreError) in
            let other = setAsidePath(at: time) + "-intake"
            try SystemErrors.renameFile(from: IntakeLog.path(besides: path), to: other)
            return other
        }
    }
}
