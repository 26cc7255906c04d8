import Glibc
import HearthEngine

/// What the kernel's codes mean for a store.
enum SystemErrors {
    /// The codes for a full disk or quota.
    static let noRoom: Set<Int32> = [ENOSPC, EDQUOT]

    /// Less than this is no room: what SQLite keeps beside a database takes as much.
    private static let roomByteCountMin: UInt = 64 << 10

    /// Whether the file system of a file has hardly any room, for bytes or for names.
    static func isRoomless(at path: String) -> Bool {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return false }
        let room = UInt(status.f_bavail) * UInt(status.f_bsize)
        return room < roomByteCountMin || (status.f_files > 0 && status.f_favail == 0)
    }

    /// The error of a failed call.
    static func error(_ code: Int32, _ action: String) -> StoreError {
        let detail = "\(action): \(String(cString: strerror(code)))"
        return noRoom.contains(code) ? .full(detail) : .io(detail)
    }

    /// Makes an empty file that only its owner may read, if there is none. SQLite gives the files
    /// beside it the same rights.
    static func makePrivateFile(at path: String) throws(StoreError) {
        let descriptor = try PlainFile.open(path, O_RDWR | O_CREAT, refuse: StoreError.io)
        guard descriptor >= 0 else {
            if errno == EACCES || errno == EROFS { return }  // SQLite tells whether that matters.
            throw error(errno, "making \(path)")
        }
        close(descriptor)
    }

    /// Refuses a file that has another name (a hard link).
    ///
    /// Each name would have a log of its own beside it, and neither log would know of the other. A
    /// process that opens both names loses what is in the logs.
    ///
    /// - Throws: `StoreError.io`, with advice.
    static func expectOneName(of path: String) throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw error(errno, "looking at \(path)") }
        guard status.st_nlink <= 1 else {
            throw .io(
                "\(path) has \(status.st_nlink) names, and its log only one: copy the file instead "
                    + "of linking it, and remove the other name")
        }
    }

    /// Renames a file, if there is one.
    static func renameFile(from path: String, to other: String) throws(StoreError) {
        guard rename(path, other) == 0 || errno == ENOENT else {
            throw error(errno, "renaming \(path)")
        }
    }

    /// Removes a file, if there is one.
    static func removeFile(at path: String) throws(StoreError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw error(errno, "removing \(path)") }
    }
}
