/// The frames of SQLite's write-ahead log, including the frames behind a damaged frame.
///
/// Shape: a head of 32 bytes, then frames of 24 bytes and a page. Each frame's sum goes on from the
/// sum in the frame before. So the frame before is enough to check a frame, even if frames further
/// in front are damaged. SQLite itself stops at the first frame whose sum is wrong:
///
///     1 2 3 C  x  5 C 7 8 C        C: a commit's last frame, x: damaged
///     -------                      what SQLite sees: the prefix
///     -------     -------          what is sound
package struct WALFrames {
    /// One sound frame: unchanged since SQLite wrote the frame.
    package struct Frame: Hashable {
        /// Which of all frames it is.
        package let index: Int
        /// The page that the frame holds.
        package let page: Int
        /// How many pages the file has with the frame, if the frame ends a commit; else 0.
        package let pageCount: Int
    }

    static let headByteCount = 32
    static let frameHeadByteCount = 24
    /// The WAL's first four bytes, for sums of words with the lowest byte first; with the highest, one more.
    private static let magic = 0x377F_0682

    /// The size of a page.
    let pageByteCount: Int
    /// The sound frames up to the last commit's end, in order.
    package private(set) var frames: [Frame] = []
    /// How many of them SQLite sees: up to the last commit in front of the first damage.
    package private(set) var prefixCount = 0
    /// The pages whose frames are damaged, as far as that can still be read.
    package private(set) var damagedPages: Set<Int> = []

    private let file: RawFile
    private let isBigEndian: Bool

    /// Looks through a WAL; `nil` if there is none, or nothing in it is sound.
    ///
    /// - Parameter pageByteCount: The size of a page, if the WAL's head does not tell.
    init?(_ path: String, pageByteCount known: Int?) {
        guard let file = RawFile(path), let head = file.bytes(Self.headByteCount, at: 0) else {
            return nil
        }
        self.file = file
        isBigEndian = head.big32(at: 0) == Self.magic + 1
        let sum = Self.sum(of: head[0..<24], from: (0, 0), isBigEndian)
        let isHeadSound = sum == Self.pair(head, at: 24)
        let told = head.big32(at: 8)
        pageByteCount = isHeadSound ? (told == 1 ? 65_536 : told) : known ?? 4_096
        guard pageByteCount >= 512, pageByteCount <= 65_536 else { return nil }
        let salts = isHeadSound ? Array(head[16..<24]) : saltsOfFrames()
        guard let salts else { return nil }
        survey(salts, headSum: Self.pair(head, at: 24), isHeadSound)
        if frames.isEmpty { return nil }
    }

    /// Whether SQLite sees fewer frames than are sound.
    package var hasHole: Bool { prefixCount < frames.count }

    /// The page that a frame holds.
    package func content(_ frame: Frame) -> [UInt8]? {
        file.bytes(
            pageByteCount, at: place(frame.index) + Self.frameHeadByteCount)
    }

    // MARK: Soundness

    private var frameCount: Int {
        (file.byteCount - Self.headByteCount) / (Self.frameHeadByteCount + pageByteCount)
    }

    /// After so many frames in a row that are none of ours, the rest is not looked at: SQLite writes a
    /// WAL from its beginning on.
    private var strangerCountMax: Int {
        StoreLimits.walStrangeByteCountMax / (Self.frameHeadByteCount + pageByteCount)
    }

    private func place(_ index: Int) -> Int {
        Self.headByteCount + index * (Self.frameHeadByteCount + pageByteCount)
    }

    private func frame(_ index: Int) -> [UInt8]? {
        file.bytes(Self.frameHeadByteCount + pageByteCount, at: place(index))
    }

    private func isSound(_ frame: [UInt8], behind sum: (UInt32, UInt32)) -> Bool {
        let head = Self.sum(of: frame[0..<8], from: sum, isBigEndian)
        return Self.sum(of: frame[Self.frameHeadByteCount...], from: head, isBigEndian)
            == Self.pair(frame, at: 16)
    }

    private mutating func survey(
        _ salts: [UInt8], headSum: (UInt32, UInt32), _ isHeadSound: Bool
    ) {
        var sum: (UInt32, UInt32)? = headSum
        var isPrefix = isHeadSound
        var commitCount = 0
        var doubtful: [Int] = []
        var strangerCount = 0
        for index in 0..<max(0, frameCount) where strangerCount < strangerCountMax {
            guard let frame = frame(index) else {
                (sum, isPrefix) = (nil, false)
                strangerCount += 1
                continue
            }
            let isOurs = frame[8..<16].elementsEqual(salts)
            strangerCount = isOurs ? 0 : strangerCount + 1
            if isOurs, let before = sum, isSound(frame, behind: before) {
                let found = Frame(
                    index: index, page: frame.big32(at: 0), pageCount: frame.big32(at: 4))
                frames.append(found)
                if found.pageCount > 0 {
                    commitCount = frames.count
                    if isPrefix { prefixCount = frames.count }
                    damagedPages.formUnion(doubtful)
                    doubtful = []
                }
            } else {
                isPrefix = false
                if isOurs { doubtful.append(frame.big32(at: 0)) }
            }
            sum = Self.pair(frame, at: 16)
        }
        frames.removeSubrange(commitCount...)
    }

    /// The salts of the first frame that a sound frame with the same salts follows.
    private func saltsOfFrames() -> [UInt8]? {
        var before: [UInt8]?
        for index in 0..<max(0, min(frameCount, strangerCountMax)) {
            guard let frame = frame(index) else {
                before = nil
                continue
            }
            if let before, before[8..<16] == frame[8..<16],
                isSound(frame, behind: Self.pair(before, at: 16))
            {
                return Array(frame[8..<16])
            }
            before = frame
        }
        return nil
    }

    // MARK: Sums

    private static func pair(_ bytes: [UInt8], at place: Int) -> (UInt32, UInt32) {
        (UInt32(bytes.big32(at: place)), UInt32(bytes.big32(at: place + 4)))
    }

    private static func sum(
        of bytes: ArraySlice<UInt8>, from start: (UInt32, UInt32), _ isBigEndian: Bool
    ) -> (UInt32, UInt32) {
        bytes.withUnsafeBytes { sum(of: $0, from: start, isBigEndian) }
    }

    /// SQLite's sum over words of four bytes.
    static func sum(
        of bytes: UnsafeRawBufferPointer, from start: (UInt32, UInt32), _ isBigEndian: Bool
    ) -> (UInt32, UInt32) {
        var (first, second) = start
        for place in stride(from: 0, to: bytes.count & ~7, by: 8) {
            let words = (
                bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self),
                bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
            )
            first &+= (isBigEndian ? words.0.bigEndian : words.0.littleEndian) &+ second
            second &+= (isBigEndian ? words.1.bigEndian : words.1.littleEndian) &+ first
        }
        return (first, second)
    }
}
