import CSQLite

/// The head of a WAL's index: what SQLite knows of the WAL in memory, for all connections.
///
/// Shape, in the machine's byte order (sqlite.org/walformat.html, "The WAL-Index File Format"):
/// page size u16 at 14, 1 for 65,536 | frames u32 at 16 | sum of the last frame 2 u32 at 24 | salts
/// 8 bytes at 32, as in the WAL | frames that were copied u32 at 96.
///
/// Only the writer changes what is read here, and only with a commit.
struct WALIndex {
    /// The size of a page.
    let pageByteCount: Int
    /// How many frames were committed since the WAL began anew.
    let frameCount: Int
    /// The sum of the last of these frames.
    let sum: (UInt32, UInt32)
    /// The salts that these frames bear.
    let salts: [UInt8]

    private static let byteCount: Int32 = 32 << 10
    private static let copiedCountPlace = 96
    /// The lock that only one copy at a time holds (`WAL_CKPT_LOCK`).
    private static let copyLock: Int32 = 1

    /// Reads the index of the WAL that a connection has open; `nil` if there is none.
    init?(of database: OpaquePointer) {
        guard let head = Self.head(of: database) else { return nil }
        let pageSize = head.loadUnaligned(fromByteOffset: 14, as: UInt16.self)
        pageByteCount = pageSize == 1 ? 65_536 : Int(pageSize)
        frameCount = Int(head.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        sum = (
            head.loadUnaligned(fromByteOffset: 24, as: UInt32.self),
            head.loadUnaligned(fromByteOffset: 28, as: UInt32.self)
        )
        salts = (32..<40).map { head.load(fromByteOffset: $0, as: UInt8.self) }
    }

    /// The size of a frame.
    var frameByteCount: Int { WALFrames.frameHeadByteCount + pageByteCount }

    /// The WAL's length with the last commit.
    var byteCount: Int64 { byteCount(ofFrames: frameCount) }

    /// The length of a WAL of so many frames.
    func byteCount(ofFrames count: Int) -> Int64 {
        Int64(WALFrames.headByteCount + count * frameByteCount)
    }

    /// Has the next copy begin with the WAL's first frame, as if nothing had been copied.
    ///
    /// Readers then look for each page in the WAL first. SQLite begins the WAL anew only if all
    /// frames count as copied.
    ///
    /// - Returns: SQLite's code; `SQLITE_BUSY` if somebody is copying.
    static func forgetCopies(of database: OpaquePointer) -> Int32 {
        guard let file = file(of: database), let methods = file.pointee.pMethods,
            let head = head(of: database)
        else { return SQLITE_IOERR }
        let code = methods.pointee.xShmLock(
            file, copyLock, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)
        guard code == SQLITE_OK else { return code }
        head.storeBytes(of: 0, toByteOffset: copiedCountPlace, as: UInt32.self)
        return methods.pointee.xShmLock(
            file, copyLock, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
    }

    private static func file(of database: OpaquePointer) -> UnsafeMutablePointer<sqlite3_file>? {
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &found)
        return code == SQLITE_OK ? found : nil
    }

    private static func head(of database: OpaquePointer) -> UnsafeMutableRawPointer? {
        guard let file = file(of: database), let methods = file.pointee.pMethods else {
            return nil
        }
        var head: UnsafeMutableRawPointer?
        let code = methods.pointee.xShmMap(file, 0, byteCount, 0, &head)
        return code == SQLITE_OK ? head : nil
    }
}
