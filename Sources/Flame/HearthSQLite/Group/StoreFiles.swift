import CLinux
import Glibc
package import HearthEngine
package import HearthModel

/// The files of one store: the database, and what lies beside it.
package struct StoreFiles: Hashable, Sendable {
    /// What the names of a store's files end with, the database last: while it is there, so are the others.
    package static let suffixes = ["-intake", "-wal", "-shm", ""]

    /// The database.
    package let path: String

    /// Names the files of the database at `path`.
    package init(path: String) {
        self.path = path
    }

    /// The file of which the lock says who has the store open.
    var lockPath: String { path + "-lock" }

    /// Does something that nobody may have the store open for.
    ///
    /// - Throws: `StoreError.locked` if another process has it open, and what `body` throws.
    package func whileLocked<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError)
        -> Result
    {
        let lock = try FileLock(path: lockPath)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// Forgets the store: the database and what lies beside it.
    package func remove() throws(StoreError) {
        try whileLocked { () throws(StoreError) in
            try removeData()
            try SystemErrors.removeFile(at: lockPath)
        }
    }

    private func removeData() throws(StoreError) {
        for suffix in Self.suffixes { try SystemErrors.removeFile(at: path + suffix) }
    }

    /// Where a damaged store is moved to: nothing has this name yet. The time is in whole seconds since 1970.
    package func setAsidePath(at time: Timestamp) -> String {
        var seconds = time.seconds
        func name() -> String { "\(path).damaged-\(seconds)" }
        while access(name(), F_OK) == 0 { seconds += 1 }
        return name()
    }

    /// Moves a damaged store out of the way, where a person can look at it; does nothing if it is there
    /// already. What lies in its place then is of a new store, in which nothing is yet, and is removed.
    ///
    /// May be ended at any time and called again. On the disk when it returns. Needs the lock.
    package func setAside(to other: String) throws(StoreError) {
        if access(other, F_OK) == 0 { try removeData() } else { try move(to: other) }
    }

    /// The database goes last, for good only when the others have: where it is, they belong.
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

    /// Moves an intake log that is none of this store's out of the way.
    ///
    /// - Returns: Where it is now.
    package func setAsideIntake(at time: Timestamp) throws(StoreError) -> String {
        try whileLocked { () throws(StoreError) in
            let other = setAsidePath(at: time) + "-intake"
            try SystemErrors.renameFile(from: IntakeLog.path(besides: path), to: other)
            return other
        }
    }
}
