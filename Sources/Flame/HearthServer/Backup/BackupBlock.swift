/// A block of a backup file: what a backup is made of behind its first bytes.
///
/// Shape: kind u8 | length u32 LE | length bytes | checksum u64 LE. The checksum tells the bytes, the
/// kind, the block's number in the file and the file's salt, so a block that is changed, missing,
/// repeated, moved or of another file is found. The salt of the first block is 0, and the first block
/// names the salt of the others.
struct BackupBlock: Hashable, Sendable {
    /// What a block is.
    enum Kind: UInt8, Sendable {
        /// What the file is; the first block.
        case header = 1
        /// The beginning of an entry, with the entry's name.
        case entry = 2
        /// Some of its bytes.
        case data = 3
        /// The end of an entry, and how many bytes the entry has.
        case entryEnd = 4
        /// The end of the file, and how many entries there are.
        case end = 5
    }

    /// What the block is.
    let kind: Kind
    /// Its bytes.
    let bytes: [UInt8]

    /// The bytes in front of a block's own.
    static let headByteCount = 5
    /// The bytes behind a block's own.
    static let tailByteCount = 8
    /// The most bytes of a block: what a reader holds at a time.
    static let byteCountMax = 256 << 10

    /// The block as the file has it.
    func encoded(number: UInt64, salt: UInt64) -> [UInt8] {
        precondition(bytes.count <= Self.byteCountMax, "A block of \(bytes.count) bytes")
        var result: [UInt8] = []
        result.reserveCapacity(Self.headByteCount + bytes.count + Self.tailByteCount)
        result.append(kind.rawValue)
        Self.append(UInt32(bytes.count), to: &result)
        result += bytes
        Self.append(Self.checksum(kind, bytes, number: number, salt: salt), to: &result)
        return result
    }

    /// Adds a whole number, the least byte first.
    static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A checksum that finds each change of a single word, and misses others with odds of 2^-64.
    static func checksum(_ kind: Kind, _ bytes: [UInt8], number: UInt64, salt: UInt64) -> UInt64 {
        var sum = salt ^ 0x4865_6172_7468_4255
        func add(_ word: UInt64) {
            sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
        }
        add(number)
        add(UInt64(kind.rawValue))
        add(UInt64(bytes.count))
        bytes.withUnsafeBytes { bytes in
            let wholeCount = bytes.count / 8 * 8
            for place in stride(from: 0, to: wholeCount, by: 8) {
                add(
                    UInt64(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
            }
            var rest: UInt64 = 0
            for (index, byte) in bytes[wholeCount...].enumerated() {
                rest |= UInt64(byte) << UInt64(8 * index)
            }
            add(rest)
        }
        return sum
    }
}
