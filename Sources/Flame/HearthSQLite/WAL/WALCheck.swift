/// Follows SQLite's sums through a WAL, piece by piece, and tells whether the bytes are those that
/// were committed.
///
/// The sums that count are in memory (`WALIndex`): the sum in the last frame goes on from every byte
/// in front of it.
struct WALCheck {
    private let index: WALIndex
    private var sum: (UInt32, UInt32) = (0, 0)
    private var isBigEndian = false

    /// Checks the WAL that an index tells of.
    init(_ index: WALIndex) { self.index = index }

    /// Whether the frames so far end with the last commit.
    var isAtEnd: Bool { sum == index.sum }

    /// Takes the WAL's head.
    ///
    /// - Returns: Whether the head is the head of this WAL.
    mutating func takeHead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isBigEndian = bytes[3] & 1 == 1
        sum = WALFrames.sum(of: part(bytes, 0..<24), from: (0, 0), isBigEndian)
        return sum == stored(in: bytes, at: 24) && bytes[16..<24].elementsEqual(index.salts)
    }

    /// Takes the next frame.
    ///
    /// - Returns: Whether the frame follows the frame before.
    mutating func takeFrame(_ bytes: UnsafeRawBufferPointer) -> Bool {
        sum = WALFrames.sum(of: part(bytes, 0..<8), from: sum, isBigEndian)
        let page = part(bytes, WALFrames.frameHeadByteCount..<bytes.count)
        sum = WALFrames.sum(of: page, from: sum, isBigEndian)
        return sum == stored(in: bytes, at: 16) && bytes[8..<16].elementsEqual(index.salts)
    }

    private func part(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>)
        -> UnsafeRawBufferPointer
    {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    private func stored(in bytes: UnsafeRawBufferPointer, at place: Int) -> (UInt32, UInt32) {
        (
            UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)),
            UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self))
        )
    }
}
