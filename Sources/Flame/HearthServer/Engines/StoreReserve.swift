import Glibc
package import HearthEngine

/// Room on the disk that is kept for the time when there is no other.
///
/// Even a read writes a little: which target it asked for, and when. When the disk is full the
/// reserve is given back to it, so that reads go on; writes are refused until the reserve can be
/// taken again, which shows that there is room.
package struct StoreReserve: Sendable {
    /// What a reserve holds by default: the file's growth by what the log has, mostly, or the log's by some
    /// hundred reads, behind which it is copied and begins anew.
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

    /// Takes as much of the room as there is, for the next start: a store that is closed gives back what its
    /// log took, and needs some of it when it is opened again.
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

    /// Less than this does not open a store.
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
