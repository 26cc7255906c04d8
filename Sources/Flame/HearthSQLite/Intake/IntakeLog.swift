import CLinux
import Glibc
import HearthEngine

/// The file beside a database that makes a group durable before the database has it.
///
/// A group is one record here and one sync of a file that never grows, where a commit of the
/// database would write each page that the group touched. The writer's transaction stays open
/// meanwhile, so a page that many groups touch is written once. The writer commits the transaction
/// now and then, and the sync follows later (`IntakeHalves`):
///
///     version 7 on the disk, log: 8 9 10  --commit, sync-->  version 10 on the disk, log: 11 ...
///
/// A program that opens both files applies the records behind the database's version. Each record
/// is applied once, because the versions follow each other without a gap. The database knows the
/// log's salt, and the salt tells the log's records from the records of other logs.
///
/// What holds, whatever fails:
///
/// 1. When `append` returns, the record is on the disk. After a failed record no further record
///    follows.
/// 2. A page is written over only when all its records lie in another page too (`IntakePages`). A
///    half is written over only when a synced database has all its records (`IntakeHalves`).
/// 3. The versions of the records behind the database's follow each other without a gap. A gap is damage.
/// 4. Records of another salt do not count, and the database knows the salt before the log is used.
/// 5. The file has its full size before the first record, so the disk cannot lack room for a record
///    later. The salt tells the size (`IntakeSize`).
/// 6. A kind's number and the fields behind the number keep their meaning for good: a later program
///    reads this log.
package final class IntakeLog {
    /// Where the log of a database lies.
    package static func path(besides database: String) -> String { database + "-intake" }

    /// The number that every record of the log bears.
    let salt: UInt64
    /// Whether every write to the log has succeeded so far.
    private(set) var isSound = true

    /// A write returns when the bytes are durable, so no write needs a separate sync.
    private static let access = O_RDWR | O_DSYNC

    private let path: String
    private let descriptor: Int32
    private let pageCount: Int
    /// Whether the file is longer than the log: a larger log lay here before.
    private var isTooLong = false
    private var halves: IntakeHalves
    /// Where the last record went.
    private var last = IntakePages.Place(page: 0, pageCount: 1, offset: 0)
    /// The page that is being filled, aligned for direct access by the disk.
    private let tail: UnsafeMutableRawBufferPointer

    /// Makes the log's file, or takes the file that is there; the old records count no more.
    ///
    /// The file has its full size and its name on the disk when the call returns, so a sync has only
    /// the record's bytes to write. This holds for a file that was there too: the process that made
    /// the file may have ended before the file was synced. A longer file is cut when the log begins
    /// anew: till then the database may know the larger log.
    init(makingAt path: String, _ size: IntakeSize) throws(StoreError) {
        self.path = path
        salt = size.makeSalt()
        pageCount = size.byteCount / IntakePages.byteCount
        halves = IntakeHalves(pageCount: pageCount)
        descriptor = try PlainFile.open(path, Self.access | O_CREAT, refuse: StoreError.io)
        guard descriptor >= 0 else { throw SystemErrors.error(errno, "making \(path)") }
        tail = Self.emptyPage()
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw SystemErrors.error(errno, "looking at \(path)")
        }
        pastPageCache()
        let foundByteCount = Int(status.st_size)
        let byteCount = pageCount * IntakePages.byteCount
        isTooLong = foundByteCount > byteCount
        do throws(StoreError) {
            if foundByteCount < byteCount { try fill(from: foundByteCount / IntakePages.byteCount) }
            try syncFile()
        } catch {
            // A part of the new log only takes room.
            if foundByteCount == 0 {
                unlink(path)
            } else if foundByteCount < byteCount {
                ftruncate(descriptor, status.st_size)
            }
            throw error
        }
    }

    private func fill(from page: Int) throws(StoreError) {
        try withPages(byteCount: (pageCount - page) * IntakePages.byteCount) {
            zeros throws(StoreError) in
            try write(UnsafeRawBufferPointer(zeros), atPage: page)
        }
    }

    private func syncFile() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw SystemErrors.error(errno, "syncing \(path)") }
        guard clinux_sync_folder_of(path) == 0 else {
            throw SystemErrors.error(errno, "syncing the folder of \(path)")
        }
    }

    /// Opens the log that is there; `nil` if there is none.
    ///
    /// The log takes no record until it begins anew.
    init?(openingAt path: String, salt: UInt64) throws(StoreError) {
        self.path = path
        self.salt = salt
        let descriptor = try PlainFile.open(path, Self.access, refuse: StoreError.io)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw SystemErrors.error(errno, "opening \(path)") }
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw SystemErrors.error(errno, "looking at \(path)")
        }
        let byteCount = min(Int(status.st_size), StoreLimits.intakeReadByteCountMax)
        pageCount = byteCount / IntakePages.byteCount
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

    /// Whether the log will have more room once a database of this version is synced.
    func waitsForSync(of version: StoreVersion) -> Bool { halves.waitsForSync(of: version) }

    /// The disk has the database up to a version.
    func synced(_ version: StoreVersion) { halves.synced(version) }

    /// Makes a record durable.
    ///
    /// - Throws: `StoreError` if the record is not durable. No record may follow then, because
    ///   nobody knows how much of the failed record is on the disk.
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

    /// Overwrites the first page of a failed record.
    ///
    /// Nobody finds the failed record again then. The other records of the page lie in another page
    /// too.
    ///
    /// - Throws: `StoreError` if the disk does not take the write, so that the record may be there.
    func void() throws(StoreError) {
        tail.initializeMemory(as: UInt8.self, repeating: 0)
        try write(UnsafeRawBufferPointer(tail), atPage: last.page)
    }

    /// Begins anew: the disk has the database with all that was appended, and with the salt.
    func restart() {
        halves.restart()
        if isTooLong { ftruncate(descriptor, off_t(pageCount * IntakePages.byteCount)) }
        isTooLong = false
    }

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

    /// Lends `body` zeroed pages of memory, aligned for direct access by the disk.
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
