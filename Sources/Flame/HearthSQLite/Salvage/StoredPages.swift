/// The pages of a store as the last commit left them.
///
/// A page in the WAL counts before the page in the file.
package final class StoredPages {
    /// The size of a page.
    package let byteCount: Int
    /// How many pages there are; they are counted from 1.
    package let count: Int
    /// The WAL, if it has anything.
    package let wal: WALFrames?

    private let file: RawFile?
    private var framed: [Int: WALFrames.Frame] = [:]
    /// The newest frame of each page among the frames that SQLite sees.
    private var seen: [Int: WALFrames.Frame] = [:]

    /// Opens a store's file and its WAL; either may be missing.
    package init(_ path: String) {
        file = RawFile(path)
        let told = file.flatMap { $0.bytes(18, at: 0) }.flatMap { Self.size($0.big16(at: 16)) }
        let wal = WALFrames(path + "-wal", pageByteCount: told)
        self.wal = wal
        byteCount = wal?.pageByteCount ?? told ?? Self.usualByteCount
        guard let wal else {
            count = (file?.byteCount ?? 0) / byteCount
            return
        }
        for frame in wal.frames { framed[frame.page] = frame }
        for frame in wal.frames.prefix(wal.prefixCount) { seen[frame.page] = frame }
        count = wal.frames.last?.pageCount ?? 0
    }

    /// What SQLite takes if nobody asks for another size.
    private static let usualByteCount = 4_096

    private static func size(_ stored: Int) -> Int? {
        if stored == 1 { return 65_536 }
        return stored >= 512 && stored & (stored - 1) == 0 ? stored : nil
    }

    /// How long the file itself is; 0 if there is none.
    package var fileByteCount: Int { file?.byteCount ?? 0 }

    /// Whether there is no file.
    package var isMissing: Bool { file == nil }

    /// A page; `nil` if there is none of this number, or the disk does not give it.
    package func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= count else { return nil }
        if let frame = framed[number], let wal { return wal.content(frame) }
        return filePage(number)
    }

    /// Where the WAL has a page; `nil` if the file's counts.
    func frame(of number: Int) -> WALFrames.Frame? { framed[number] }

    /// A page as the file alone has it.
    package func filePage(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= Int.max / byteCount else { return nil }
        return file?.bytes(byteCount, at: (number - 1) * byteCount)
    }

    /// A page as SQLite sees the store: SQLite stops at the first damaged frame of the WAL.
    package func prefixPage(_ number: Int) -> [UInt8]? {
        guard let wal, let frame = seen[number] else { return filePage(number) }
        return wal.content(frame)
    }
}
