import Glibc
package import HearthEngine
import HearthSQLite

/// Room that the daemon keeps on the disk for the time when the disk is full.
///
/// Even a read writes a little: the target of the read, and the time. When the disk is full, the
/// daemon gives the part for reads back to the disk, so that reads go on. The daemon refuses writes
/// until taking the reserve again proves that the disk has room. Meanwhile others may take what the
/// daemon gives back. So a second part stays until the store is opened on a disk that is still full:
/// the store then takes up its intake log and makes the files that SQLite needs.
package struct StoreReserve: Sendable {
    /// A file of the reserve, named after what the room in the file is for.
    private enum Part: String, CaseIterable {
        /// First, since without it the next start may serve nothing.
        case start = "-reserve-start"
        case reads = "-reserve"
    }

    /// The bytes that the part for reads of a large store holds.
    ///
    /// Mostly the file can grow in the reserve by the content of the log. Or the log can grow by
    /// some hundred reads; after these the log is copied into the file and begins anew.
    package static let byteCountMax = 8 << 20
    /// The bytes that the part for reads of the smallest store holds: its file and its log are as
    /// small. The part for a start holds as many beside the intake log's.
    package static let byteCountAtFirst = 1 << 20

    /// The store's file.
    private let storePath: String
    /// The size of each part, unless it follows the size of the store.
    private let fixedByteCount: Int?

    /// The reserve of a store, beside its file.
    ///
    /// - Parameter byteCount: The size of each part; `nil` for a size that follows the sizes of the
    ///   store's files.
    package init(besides path: String, byteCount: Int? = nil) {
        storePath = path
        fixedByteCount = byteCount
    }

    private func path(of part: Part) -> String { storePath + part.rawValue }

    private func byteCount(of part: Part) -> Int {
        if let fixedByteCount { return fixedByteCount }
        switch part {
        case .start:
            // A longer file is no intake log of a store.
            let byteCount = Self.byteCount(of: storePath + "-intake")
            return min(byteCount, StoreLimits.intakeByteCount) + Self.byteCountAtFirst
        case .reads:
            let byteCount = Self.byteCount(of: storePath) + Self.byteCount(of: storePath + "-wal")
            return min(max(byteCount, Self.byteCountAtFirst), Self.byteCountMax)
        }
    }

    private static func byteCount(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Whether there is a reserve. Only an open store takes one, and whoever removes the store gives the
    /// reserve back before.
    var isThere: Bool {
        Part.allCases.contains { part in
            var status = stat()
            return lstat(path(of: part), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
                && status.st_size > 0
        }
    }

    /// Takes the room, unless it is taken already.
    ///
    /// - Throws: `StoreError.full` if there is too little; `io` if something else has the reserve's place.
    package func take() throws(StoreError) {
        for part in Part.allCases { try take(byteCount(of: part), for: part) }
    }

    private func take(_ byteCount: Int, for part: Part) throws(StoreError) {
        let path = path(of: part)
        let descriptor = try PlainFile.open(path, O_RDWR | O_CREAT, refuse: StoreError.io)
        guard descriptor >= 0 else { throw Self.error(errno, path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.error(errno, path) }
        let code = posix_fallocate(descriptor, 0, off_t(byteCount))
        guard code == 0 else {
            // What was there before stays: some room is better than none.
            if status.st_size == 0 { unlink(path) } else { ftruncate(descriptor, status.st_size) }
            throw Self.error(code, path)
        }
    }

    /// Takes more room if the store has grown, but for a part that was given back.
    ///
    /// If there is too little room, the reserve stays as it is: the next write tells of the disk.
    package func grow() {
        for part in Part.allCases {
            let (found, wanted) = (Self.byteCount(of: path(of: part)), byteCount(of: part))
            if found > 0, found < wanted { try? take(wanted, for: part) }
        }
    }

    /// Takes as much of the reserve as the disk has room for, for the next start.
    ///
    /// A closing store gives back the room of the log, and needs part of the room at the next
    /// opening.
    package func takeWhatIsThere() {
        for part in Part.allCases {
            var count = byteCount(of: part)
            while count >= Self.byteCountMin, (try? take(count, for: part)) == nil { count /= 2 }
        }
    }

    /// A store needs at least this much room to open.
    private static let byteCountMin = 64 << 10

    /// Gives back the room for reads, and keeps the room for a start.
    package func release() { unlink(path(of: .reads)) }

    /// Gives back all of the room, for a store that is being opened or that is gone.
    package func spend() {
        for part in Part.allCases { unlink(path(of: part)) }
    }

    /// What would help the store on a full disk, as a sentence without its full stop: how much room, and where.
    ///
    /// So much as the reserve lacks, since the store works again when it has its reserve, and a little for the store
    /// itself. Blocks on the disk.
    package var advice: String {
        var folder = StoreFolder.folder(above: storePath)
        var status = statvfs()
        while statvfs(folder, &status) != 0, errno == ENOENT, folder.utf8.count > 1 {
            folder = StoreFolder.folder(above: folder)  // What cannot be made has no file system.
        }
        let end = "; the daemon then goes on by itself"
        if status.f_files > 0, status.f_favail == 0 {
            return "Remove files from the file system of \(folder), which takes no more files\(end)"
        }
        let lacking = Part.allCases.reduce(0) { sum, part in
            sum + max(0, byteCount(of: part) - Self.byteCount(of: path(of: part)))
        }
        let wanted = (lacking + Self.byteCountAtFirst + (1 << 20) - 1) >> 20
        return "Make \(wanted) MiB free on the file system of \(folder), or in the quota of the "
            + "daemon's user\(end)"
    }

    private static func error(_ code: Int32, _ path: String) -> StoreError {
        let detail = "reserving \(path): \(String(cString: strerror(code)))"
        return code == ENOSPC || code == EDQUOT ? .full(detail) : .io(detail)
    }
}
