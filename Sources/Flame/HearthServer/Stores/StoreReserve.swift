import Glibc
package import HearthEngine
import HearthSQLite

/// Room that the daemon keeps on the disk for the time when the disk is full.
///
/// Even a read writes a little: the target of the read, and the time. When the disk is full, the
/// daemon gives the reserve back to the disk, so that reads go on. The daemon refuses writes until
/// taking the reserve again proves that the disk has room.
package struct StoreReserve: Sendable {
    /// The bytes that the reserve of a large store holds.
    ///
    /// Mostly the file can grow in the reserve by the content of the log. Or the log can grow by
    /// some hundred reads; after these the log is copied into the file and begins anew.
    package static let byteCountMax = 8 << 20
    /// The bytes that the reserve of the smallest store holds: its file and its log are as small.
    package static let byteCountAtFirst = 1 << 20

    /// The store's file.
    private let storePath: String
    private let path: String
    /// The size, unless it follows the size of the store.
    private let fixedByteCount: Int?

    /// The reserve of a store, beside its file.
    ///
    /// - Parameter byteCount: Its size; `nil` for the size of the store's files, between two bounds.
    package init(besides path: String, byteCount: Int? = nil) {
        storePath = path
        self.path = path + "-reserve"
        fixedByteCount = byteCount
    }

    private var byteCount: Int {
        if let fixedByteCount { return fixedByteCount }
        let byteCount = Self.byteCount(of: storePath) + Self.byteCount(of: storePath + "-wal")
        return min(max(byteCount, Self.byteCountAtFirst), Self.byteCountMax)
    }

    private static func byteCount(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Whether there is a reserve. Only an open store takes one, and whoever removes the store gives the
    /// reserve back before.
    var isThere: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }

    /// Takes the room, unless it is taken already.
    ///
    /// - Throws: `StoreError.full` if there is too little; `io` if something else has the reserve's place.
    package func take() throws(StoreError) {
        let descriptor = try PlainFile.open(path, O_RDWR | O_CREAT, refuse: StoreError.io)
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

    /// Takes more room if the store has grown, unless the reserve was given back.
    ///
    /// If there is too little room, the reserve stays as it is: the next write tells of the disk.
    package func grow() {
        let found = Self.byteCount(of: path)
        if found > 0, found < byteCount { try? take() }
    }

    /// Takes as much of the reserve as the disk has room for, for the next start.
    ///
    /// A closing store gives back the room of the log, and needs part of the room at the next
    /// opening.
    package func takeWhatIsThere() {
        var count = byteCount
        while count >= Self.byteCountMin {
            do throws(StoreError) {
                return try StoreReserve(besides: storePath, byteCount: count).take()
            } catch {
                count /= 2
            }
        }
    }

    /// A store needs at least this much room to open.
    private static let byteCountMin = 64 << 10

    /// Gives the room back.
    package func release() { unlink(path) }

    private static func error(_ code: Int32, _ path: String) -> StoreError {
        let detail = "reserving \(path): \(String(cString: strerror(code)))"
        return code == ENOSPC || code == EDQUOT ? .full(detail) : .io(detail)
    }
}
