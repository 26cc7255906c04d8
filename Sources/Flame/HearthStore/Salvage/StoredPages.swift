/// The pages of a store's file as its last commit left them, those of its log before those of the file.
final class StoredPages {
    /// The size of a page.
    let byteCount: Int
    /// How many pages there are; they are counted from 1.
    let count: Int
    /// The log, if it has anything.
    let log: LogFrames?

    private let file: RawFile?
    private var framed: [Int: LogFrames.Frame] = [:]
    /// The same of the frames that SQLite sees.
    private var seen: [Int: LogFrames.Frame] = [:]

    /// Opens a store's file and its log, of which either may be missing.
    init(_ path: String) {
        file = RawFile(path)
        let told = file.flatMap { $0.bytes(18, at: 0) }.flatMap { Self.size($0.big16(at: 16)) }
        let log = LogFrames(path + "-wal", pageByteCount: told)
        self.log = log
        byteCount = log?.pageByteCount ?? told ?? Self.usualByteCount
        guard let log else {
            count = (file?.byteCount ?? 0) / byteCount
            return
        }
        for frame in log.frames { framed[frame.page] = frame }
        for frame in log.frames.prefix(log.prefixCount) { seen[frame.page] = frame }
        count = log.frames.last?.pageCount ?? 0
    }

    /// What SQLite takes if nobody asks for another size.
    private static let usualByteCount = 4_096

    private static func size(_ stored: Int) -> Int? {
        if stored == 1 { return 65_536 }
        return stored >= 512 && stored & (stored - 1) == 0 ? stored : nil
    }

    /// How long the file itself is; 0 if there is none.
    var fileByteCount: Int { file?.byteCount ?? 0 }

    /// A page; `nil` if there is none of this number, or the disk does not give it.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= count else { return nil }
        if let frame = framed[number], let log { return log.content(frame) }
        return filePage(number)
    }

    /// Where the log has a page; `nil` if the file's counts.
    func frame(of number: Int) -> LogFrames.Frame? { framed[number] }

    /// A page as the file alone has it.
    func filePage(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= Int.max / byteCount else { return nil }
        return file?.bytes(byteCount, at: (number - 1) * byteCount)
    }

    /// A page as SQLite sees it, which stops at the first damaged frame of the log.
    func prefixPage(_ number: Int) -> [UInt8]? {
        guard let log, let frame = seen[number] else { return filePage(number) }
        return log.content(frame)
    }
}
