import CLinux
import Glibc
import HearthFirestore

/// The file beside a database that makes accepted writes durable before the database has them.
///
/// A group that did nothing but accept writes is one record here and one sync of a file that never
/// grows, where a commit of the database would write each page that it touched. The writer's
/// transaction stays open meanwhile; once it is committed, the log begins anew:
///
///     version 7 in the database, log: 8 9 10  --commit-->  version 10, log begins anew: 11 ...
///
/// Whoever opens the two applies what the log has behind the database's version, once, because the
/// versions follow each other without a gap. The salt, which the database knows, tells the records of
/// this log from those of any other.
final class IntakeLog {
    /// How a log was found.
    struct Contents {
        /// What follows the database's version, in order, without a gap.
        var records: [IntakeRecord] = []
        /// What lies behind a gap: something between was damaged.
        var stragglers: [IntakeRecord] = []
    }

    /// Where the log of a database lies.
    static func path(besides database: String) -> String { database + "-intake" }

    /// The number by which its records are known.
    let salt: UInt64
    /// Whether the disk did all that it was asked so far.
    private(set) var isSound = true

    /// A write returns when it is durable, so that none needs a sync of its own.
    private static let access = O_RDWR | O_DSYNC | O_CLOEXEC | O_NOFOLLOW

    private let path: String
    private let descriptor: Int32
    private let byteCount: Int
    /// Where the next record goes.
    private var end = 0

    /// Makes the log's file, or takes the one that is there, whose records count no more.
    ///
    /// It has its full size on the disk when this returns, so that a sync has only its bytes to write.
    init(makingAt path: String, byteCount: Int) throws(StoreError) {
        self.path = path
        salt = UInt64.random(in: 1...UInt64.max)
        descriptor = Glibc.open(path, Self.access | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw SystemErrors.error(errno, "making \(path)") }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw SystemErrors.error(errno, "looking at \(path)")
        }
        self.byteCount = byteCount
        pastPageCache()
        guard Int(status.st_size) != byteCount else { return }
        do throws(StoreError) {
            try fill()
        } catch {
            unlink(path)  // Half a log only takes room.
            throw error
        }
    }

    private func fill() throws(StoreError) {
        guard ftruncate(descriptor, 0) == 0 else {
            throw SystemErrors.error(errno, "emptying \(path)")
        }
        try write([UInt8](repeating: 0, count: byteCount), at: 0)
        guard fsync(descriptor) == 0 else { throw SystemErrors.error(errno, "syncing \(path)") }
        guard clinux_sync_folder_of(path) == 0 else {
            throw SystemErrors.error(errno, "syncing the folder of \(path)")
        }
    }

    /// Opens the log that is there; `nil` if there is none.
    init?(openingAt path: String, salt: UInt64) throws(StoreError) {
        self.path = path
        self.salt = salt
        let descriptor = Glibc.open(path, Self.access)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw SystemErrors.error(errno, "opening \(path)") }
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw SystemErrors.error(errno, "looking at \(path)")
        }
        byteCount = Int(status.st_size) / IntakeRecord.pageByteCount * IntakeRecord.pageByteCount
        pastPageCache()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether a record of so many bytes still fits.
    func hasRoom(for byteCount: Int) -> Bool {
        end + IntakeRecord.pageCount(of: byteCount) * IntakeRecord.pageByteCount <= self.byteCount
    }

    /// Makes a record durable.
    ///
    /// - Throws: If it is not. No record may follow then: what the disk has of this one nobody knows.
    func append(_ record: IntakeRecord) throws(StoreError) {
        precondition(
            isSound && hasRoom(for: record.bytes.count), "The intake log is full or failed")
        isSound = false
        try write(record.frame(salt: salt), at: end)
        isSound = true
        end += record.pageCount * IntakeRecord.pageByteCount
    }

    /// Sees to it, as far as the disk lets it, that a record which failed is not found again.
    func void() {
        try? write([UInt8](repeating: 0, count: IntakeRecord.pageByteCount), at: end)
    }

    /// Begins anew: the database has all that was appended.
    func restart() { end = 0 }

    /// Reads what follows a version of the database, and goes on behind it.
    func read(behind version: StoreVersion) throws(StoreError) -> Contents {
        let log = UnsafeMutableRawBufferPointer.allocate(
            byteCount: byteCount, alignment: IntakeRecord.pageByteCount)
        defer { log.deallocate() }
        log.initializeMemory(as: UInt8.self, repeating: 0)
        var filled = 0
        while filled < byteCount {
            let count = pread(
                descriptor, log.baseAddress?.advanced(by: filled), byteCount - filled, off_t(filled)
            )
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemErrors.error(errno, "reading \(path)") }
            guard count > 0 else { break }
            filled += count
        }
        let contents = Self.contents(UnsafeRawBufferPointer(log), salt, behind: version)
        end = contents.records.reduce(0) { $0 + $1.pageCount } * IntakeRecord.pageByteCount
        return contents
    }

    private static func contents(
        _ log: UnsafeRawBufferPointer, _ salt: UInt64, behind version: StoreVersion
    ) -> Contents {
        var contents = Contents()
        var last = version
        var place = 0
        while let record = IntakeRecord(in: log, at: place, salt: salt), record.version == last.next
        {
            contents.records.append(record)
            last = record.version
            place += record.pageCount * IntakeRecord.pageByteCount
        }
        // What was there before this log began anew has versions that the database has passed.
        while place < log.count {
            if let record = IntakeRecord(in: log, at: place, salt: salt), record.version > last {
                contents.stragglers.append(record)
            }
            place += IntakeRecord.pageByteCount
        }
        return contents
    }

    /// Writes whole pages, the last one filled up with zeros.
    private func write(_ bytes: [UInt8], at place: Int) throws(StoreError) {
        let page = IntakeRecord.pageByteCount
        let count = (bytes.count + page - 1) / page * page
        let pages = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: page)
        defer { pages.deallocate() }
        pages.copyBytes(from: bytes)
        pages[bytes.count...].initializeMemory(as: UInt8.self, repeating: 0)
        var written = 0
        while written < count {
            let step = pwrite(
                descriptor, pages.baseAddress?.advanced(by: written), count - written,
                off_t(place + written))
            if step < 0, errno == EINTR { continue }
            guard step > 0 else {
                throw SystemErrors.error(step == 0 ? ENOSPC : errno, "writing \(path)")
            }
            written += step
        }
    }

    /// Has writes go straight to the disk, if the file system can: through the page cache they cost
    /// half as much again, and nobody reads them from there.
    private func pastPageCache() {
        _ = clinux_go_past_page_cache(descriptor)
    }
}
