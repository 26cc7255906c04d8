import CSQLite
import HearthEngine
import Synchronization

/// The write-ahead log of one connection, between SQLite and its file.
///
/// SQLite writes each page of a commit with two calls, and then syncs. This class gathers adjacent
/// bytes and writes the bytes to the file with one call. The class can also leave out the sync of a
/// commit that is durable elsewhere:
///
///     SQLite   head page head page ... sync
///     file     head page head page ... sync, or none
///
/// Every other call on the file first writes the gathered bytes, and SQLite shows nobody a commit
/// before its sync has returned. A sync that keeps earlier and later writes apart, at the WAL's
/// beginning or in a copy, is never left out; SQLite marks such a sync as full
/// (`checkpoint_fullfsync`).
final class WALFile {
    /// Whether commits need not be synced.
    var leavesSync = false
    /// What is known of syncs that failed, on this connection and on the store's others.
    let doubt: SyncDoubt

    /// How often the WAL has begun anew: its head was written, at its beginning.
    private(set) var beginCount = 0

    /// The methods that SQLite calls. Behind them, for us: the file's own methods and the owner.
    private struct Table {
        var methods: sqlite3_io_methods
        let below: UnsafePointer<sqlite3_io_methods>
        let owner: Unmanaged<WALFile>
    }

    private typealias File = UnsafeMutablePointer<sqlite3_file>

    private let file: File
    /// The file's own methods. Tests put methods that fail in their place.
    var below: sqlite3_io_methods
    private let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    /// What is to be written from `start` on: up to 29 pages with their heads. SQLite's file takes less
    /// than 128 KiB at once.
    private let gathered = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 120 << 10, alignment: 8)
    private var start: Int64 = 0
    private var count = 0

    /// Steps between a connection and the WAL that it has open; `nil` if there is none.
    ///
    /// Must live until the connection is closed.
    init?(of database: OpaquePointer, _ doubt: SyncDoubt) {
        self.doubt = doubt
        var found: File?
        let code = sqlite3_file_control(
            database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &found)
        guard code == SQLITE_OK, let found, let methods = found.pointee.pMethods else { return nil }
        file = found
        below = methods.pointee
        table.initialize(
            to: Table(methods: below, below: methods, owner: Unmanaged.passUnretained(self)))
        table.pointee.methods.xWrite = { file, bytes, count, offset in
            guard let bytes, let wal = WALFile.owner(of: file) else { return SQLITE_IOERR }
            return wal.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: offset)
        }
        table.pointee.methods.xRead = { file, bytes, count, offset in
            WALFile.written(file) { $0.xRead(file, bytes, count, offset) }
        }
        table.pointee.methods.xTruncate = { file, size in
            WALFile.written(file) { below in
                var present: Int64 = 0
                let code = below.xFileSize(file, &present)
                guard code == SQLITE_OK else { return code }
                return below.xTruncate(file, WALFile.size(cutting: present, to: size))
            }
        }
        table.pointee.methods.xFileSize = { file, size in
            WALFile.written(file) { $0.xFileSize(file, size) }
        }
        table.pointee.methods.xSync = { file, flags in
            guard let wal = WALFile.owner(of: file) else { return SQLITE_IOERR }
            return wal.sync(flags)
        }
        file.pointee.pMethods = UnsafeRawPointer(table).assumingMemoryBound(
            to: sqlite3_io_methods.self)
    }

    deinit {
        table.deallocate()
        gathered.deallocate()
    }

    /// To what size a WAL is cut back for now: cutting off much takes the file system long, and SQLite asks
    /// again whenever the WAL begins anew.
    static func size(cutting present: Int64, to size: Int64) -> Int64 {
        size == 0 ? 0 : max(size, present - StoreLimits.walCutByteCountMax)
    }

    /// Makes all that was committed durable.
    ///
    /// - Returns: SQLite's code.
    func sync() -> Int32 { sync(SQLITE_SYNC_FULL) }

    /// Cuts off the bytes behind the last commit, and syncs the cut.
    ///
    /// In a WAL that has begun anew and has no commit yet, the first frame is blanked instead, and
    /// the WAL keeps a length: on a full disk the WAL may not find the room again.
    ///
    /// - Returns: SQLite's code. After an error a crash may bring the bytes back.
    func cut(behind index: WALIndex, keeping byteCount: Int64) -> Int32 {
        count = 0
        var present: Int64 = 0
        var code = below.xFileSize(file, &present)
        var end = index.byteCount
        if code == SQLITE_OK, index.frameCount == 0, present > end {
            let blank = [UInt8](repeating: 0, count: WALFrames.frameHeadByteCount)
            code = below.xWrite(file, blank, Int32(blank.count), end)
            end = max(end, byteCount)
        }
        if code == SQLITE_OK, present > end { code = below.xTruncate(file, end) }
        return code == SQLITE_OK ? sync() : code
    }

    /// Writes the bytes of all commits anew, and syncs them.
    ///
    /// After a failed sync, the system may show bytes that are not on the disk. Once it has let go
    /// of them, the system reads what the disk has. So the bytes must be the committed ones, by the
    /// sums that SQLite has in memory, before the sync of the second writing counts. A WAL without a
    /// commit has nothing to write: SQLite writes the head again with the first commit.
    ///
    /// - Returns: SQLite's code; `SQLITE_CORRUPT` if committed bytes are gone.
    func mend(_ index: WALIndex) -> Int32 {
        let (failureCount, wasInDoubt) = (doubt.failureCount, doubt.isOnWAL)
        var code = flush()
        if code == SQLITE_OK, index.frameCount > 0 { code = rewrite(index) }
        if code == SQLITE_OK { code = sync() }
        if code == SQLITE_OK {
            doubt.mended(failureCount)
        } else if !wasInDoubt, !doubt.isOnWAL {
            doubt.syncFailed()
        }
        return code
    }

    private func rewrite(_ index: WALIndex) -> Int32 {
        var check = WALCheck(index)
        var code = rewrite(WALFrames.headByteCount, at: 0) { check.takeHead($0) }
        var place = Int64(WALFrames.headByteCount)
        while code == SQLITE_OK, place < index.byteCount {
            let left = Int(index.byteCount - place) / index.frameByteCount
            let count = min(left, gathered.count / index.frameByteCount)
            code = rewrite(count * index.frameByteCount, at: place) { bytes in
                (0..<count).allSatisfy { number in
                    let begin = number * index.frameByteCount
                    return check.takeFrame(
                        UnsafeRawBufferPointer(
                            rebasing: bytes[begin..<(begin + index.frameByteCount)]))
                }
            }
            place += Int64(count * index.frameByteCount)
        }
        return code == SQLITE_OK && !check.isAtEnd ? SQLITE_CORRUPT : code
    }

    private func rewrite(
        _ byteCount: Int, at place: Int64, ifSound isSound: (UnsafeRawBufferPointer) -> Bool
    ) -> Int32 {
        let bytes = UnsafeRawBufferPointer(rebasing: gathered[..<byteCount])
        let code = below.xRead(file, gathered.baseAddress, Int32(byteCount), place)
        guard code == SQLITE_OK else {
            return code == SQLITE_IOERR | (2 << 8) ? SQLITE_CORRUPT : code  // It ends too soon.
        }
        guard isSound(bytes) else { return SQLITE_CORRUPT }
        return below.xWrite(file, bytes.baseAddress, Int32(byteCount), place)
    }

    // MARK: SQLite's calls

    private static func owner(of file: File?) -> WALFile? {
        guard let methods = file?.pointee.pMethods else { return nil }
        return UnsafeRawPointer(methods).assumingMemoryBound(to: Table.self).pointee.owner
            .takeUnretainedValue()
    }

    /// Calls the file after writing all gathered bytes to the file.
    private static func written(_ file: File?, _ call: (sqlite3_io_methods) -> Int32) -> Int32 {
        guard let wal = owner(of: file) else { return SQLITE_IOERR }
        let code = wal.flush()
        return code == SQLITE_OK ? call(wal.below) : code
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        if offset == 0 { beginCount += 1 }
        if offset != start + Int64(count) || count + bytes.count > gathered.count {
            let code = flush()
            guard code == SQLITE_OK else { return code }
            start = offset
        }
        guard bytes.count <= gathered.count else {
            return below.xWrite(file, bytes.baseAddress, Int32(bytes.count), offset)
        }
        UnsafeMutableRawBufferPointer(rebasing: gathered[count...]).copyMemory(from: bytes)
        count += bytes.count
        return SQLITE_OK
    }

    /// Writes the gathered bytes.
    ///
    /// Bytes that cannot be written are dropped: SQLite gets the error, and writes the bytes anew.
    private func flush() -> Int32 {
        guard count > 0 else { return SQLITE_OK }
        let length = Int32(count)
        count = 0
        return below.xWrite(file, gathered.baseAddress, length, start)
    }

    private func sync(_ flags: Int32) -> Int32 {
        let code = flush()
        guard code == SQLITE_OK else { return code }
        if leavesSync, flags & 0x0F != SQLITE_SYNC_FULL { return SQLITE_OK }
        let result = below.xSync(file, flags)
        if result != SQLITE_OK { doubt.syncFailed() }
        return result
    }
}
