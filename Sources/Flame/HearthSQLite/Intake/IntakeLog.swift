import CLinux
import Glibc
import HearthEngine

/// The file beside a database that makes a group durable before the database has it.
///
/// A group is one record here and one sync of a file that never grows, where a commit of the database
/// would write each page that the group touched. The writer's transaction stays open meanwhile, so that
/// pages which many groups touch are written once; it is committed now and then, and synced later
/// (`IntakeHalves`):
///
///     version 7 on the disk, log: 8 9 10  --commit, sync-->  version 10 on the disk, log: 11 ...
///
/// Whoever opens the two applies what the log has behind the database's version, once, because the
/// versions follow each other without a gap. The salt, which the database knows, tells the records of
/// this log from those of any other.
///
/// What holds, whatever fails:
///
/// 1. When `append` returns, the record is on the disk. After one that failed no other follows.
/// 2. A page is written over only when all its records lie in another one too (`IntakePages`), and a half
///    only when a synced database has all of it (`IntakeHalves`).
/// 3. The versions of the records behind the database's follow each other without a gap. A gap is damage.
/// 4. Records of another salt do not count, and the database knows the salt before the log is used.
/// 5. The file has its full size before its first record, so that no record can lack room that it was given.
/// 6. A kind's number, and what follows it, keep their meaning for good: a later program reads this log.
package final class IntakeLog {
    /// Where the log of a database lies.
    package static func path(besides database: String) -> String { database + "-intake" }

    /// The number by which its records are known.
    let salt: UInt64
    /// Whether the disk did all that it was asked so far.
    private(set) var isSound = true

    /// A write returns when it is durable, so that none needs a sync of its own.
    private static let access = O_RDWR | O_DSYNC | O_CLOEXEC | O_NOFOLLOW

    private let path: String
    private let descriptor: Int32
    private let pageCount: Int
    private var halves: IntakeHalves
    /// Where the last record went.
    private var last = IntakePages.Place(page: 0, pageCount: 1, offset: 0)
    /// The page that is being filled, where the disk can fetch it.
    private let tail: UnsafeMutableRawBufferPointer

    /// Makes the log's file, or takes the one that is there, whose records count no more.
    ///
    /// It has its full size on the disk when this returns, so that a sync has only its bytes to write.
    init(makingAt path: String, byteCount: Int) throws(StoreError) {
        self.path = path
        salt = UInt64.random(in: 1...UInt64.max)
        pageCount = byteCount / IntakePages.byteCount
        halves = IntakeHalves(pageCount: pageCount)
        descriptor = Glibc.open(path, Self.access | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw SystemErrors.error(errno, "making \(path)") }
        tail = Self.emptyPage()
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw SystemErrors.error(errno, "looking at \(path)")
        }
        pastPageCache()
        guard Int(status.st_size) != pageCount * IntakePages.byteCount else { return }
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
        try withPages(byteCount: pageCount * IntakePages.byteCount) { zeros throws(StoreError) in
            try write(UnsafeRawBufferPointer(zeros), atPage: 0)
        }
        guard fsync(descriptor) == 0 else { throw SystemErrors.error(errno, "syncing \(path)") }
        guard clinux_sync_folder_of(path) == 0 else {
            throw SystemErrors.error(errno, "syncing the folder of \(path)")
        }
    }

    /// Opens the log that is there; `nil` if there is none. It takes no record until it begins anew.
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
        pageCount = Int(status.st_size) / IntakePages.byteCount
        halves = IntakeHalves(foundPageCount: pageCount)
        tail = Self.emptyPage()
        pastPageCache()
    }

    deinit {
        tail.deallocate()
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether a record of so many bytes still fits.
    func hasRoom(for record: IntakeRecord) -> Bool { halves.hasRoom(for: record.byteCount) }

    /// Whether it will have more room once the database, which has this version, is synced.
    func waitsForSync(of version: StoreVersion) -> Bool { halves.waitsForSync(of: version) }

    /// The disk has the database up to a version.
    func synced(_ version: StoreVersion) { halves.synced(version) }

    /// Makes a record durable.
    ///
    /// - Throws: If it is not. No record may follow then: what the disk has of this one nobody knows.
    func append(_ record: IntakeRecord) throws(StoreError) {
        guard isSound, let place = halves.place(record.byteCount, leadingTo: record.version) else {
            preconditionFailure("The intake log is full or failed")
        }
        isSound = false
        last = place
        if place.pageCount == 1 {
            let rest = UnsafeMutableRawBufferPointer(rebasing: tail[place.offset...])
            if place.offset == 0 { rest.initializeMemory(as: UInt8.self, repeating: 0) }
            record.write(to: rest, salt: salt)
            try write(UnsafeRawBufferPointer(tail), atPage: place.page)
        } else {
            try withPages(byteCount: record.byteCount) { wide throws(StoreError) in
                record.write(to: wide, salt: salt)
                try write(UnsafeRawBufferPointer(wide), atPage: place.page)
            }
        }
        isSound = true
    }

    /// Sees to it, as far as the disk lets it, that a record which failed is not found again. What its
    /// first page has besides lies in another one.
    func void() {
        tail.initializeMemory(as: UInt8.self, repeating: 0)
        try? write(UnsafeRawBufferPointer(tail), atPage: last.page)
    }

    /// Begins anew: the disk has the database with all that was appended.
    func restart() { halves.restart() }

    /// Reads what follows a version of the database.
    func read(behind version: StoreVersion) throws(StoreError) -> IntakePages.Contents {
        let byteCount = pageCount * IntakePages.byteCount
        return try withPages(byteCount: byteCount) { log throws(StoreError) in
            var filled = 0
            while filled < byteCount {
                let count = pread(
                    descriptor, log.baseAddress?.advanced(by: filled), byteCount - filled,
                    off_t(filled))
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw SystemErrors.error(errno, "reading \(path)") }
                guard count > 0 else { break }
                filled += count
            }
            return IntakePages.contents(
                of: UnsafeRawBufferPointer(log), salt: salt, behind: version)
        }
    }

    private static func emptyPage() -> UnsafeMutableRawBufferPointer {
        .allocate(byteCount: IntakePages.byteCount, alignment: IntakePages.byteCount)
    }

    /// Lends whole pages that hold so many bytes, zeros at first, where the disk can fetch them.
    private func withPages<Result>(
        byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let page = IntakePages.byteCount
        let pages = UnsafeMutableRawBufferPointer.allocate(
            byteCount: (byteCount + page - 1) / page * page, alignment: page)
        defer { pages.deallocate() }
        pages.initializeMemory(as: UInt8.self, repeating: 0)
        return try body(pages)
    }

    /// Writes whole pages.
    private func write(_ bytes: UnsafeRawBufferPointer, atPage page: Int) throws(StoreError) {
        var written = 0
        while written < bytes.count {
            let step = pwrite(
                descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written,
                off_t(page * IntakePages.byteCount + written))
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
