import Glibc
package import HearthEngine

/// Room that the daemon keeps on the disk for the time when the disk is full.
///
/// Even a read writes a little: the target of the read, and the time. When the disk is full, the
/// daemon gives the reserve back to the disk, so that reads go on. The daemon refuses writes until
/// taking the reserve again proves that the disk has room.
package struct StoreReserve: Sendable {
    /// The bytes that a reserve holds by default.
    ///
    /// Mostly the file can grow in the reserve by the content of the log. Or the log can grow by
    /// some hundred reads; after these the log is copied into the file and begins anew.
    package static let byteCountMax = 8 << 20

    private let path: String
    private let byteCount: Int

    /// The reserve of a store, beside its file.
    package init(besides path: String, byteCount: Int = StoreReserve.byteCountMax) {
        self.path = path + "-reserve"
        self.byteCount = byteCount
    }

    /// Takes the room, unless it is taken already.
    ///
    /// - Throws: `StoreError.full` if there is too little.
    package func take() throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.error(errno, path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.error(errno, path) }
        let code = posix_fallocate(descriptor, 0, off_t(byteCount))
        guard code == 0 else {
            // What was there before stays: some room is better than none.
            if status.st_size == 0 { release() } else { ftruncate(descriptor, status.st_size) }
            throw Self.error(code, path)
        }
    }

    /// Takes as much of the reserve as the disk has room for, for the next start.
    ///
    /// A closing store gives back the room of the log, and needs part of the room at the next
    /// opening.
    package func takeWhatIsThere() {
        var count = byteCount
        while count >= Self.byteCountMin {
            do throws(StoreError) {
                return try StoreReserve(path: path, byteCount: count).take()
            } catch {
                count /= 2
            }
        }
    }

    /// A store needs at least this much room to open.
    private static let byteCountMin = 64 << 10

    private init(path: String, byteCount: Int) {
        self.path = path
        self.byteCount = byteCount
    }

    /// Gives the room back.
    package func release() { unlink(path) }

    private static func error(_ code: Int32, _ path: String) -> StoreError {
        let detail = "reserving \(path): \(String(cString: strerror(code)))"
        return code == ENOSPC || code == EDQUOT ? .full(detail) : .io(detail)
    }
}
