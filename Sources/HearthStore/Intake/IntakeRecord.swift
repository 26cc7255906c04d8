import HearthFirestore

/// One group in the intake log: which version of the store it led to, and what it did.
///
/// Shape: "HIL1" | length u32 LE | salt u64 LE | version u64 LE | checksum u64 LE | length bytes. It
/// begins at a multiple of `pageByteCount`, so no sector of a disk holds parts of two records, and a
/// write that a power cut tears can harm none before it.
struct IntakeRecord: Hashable {
    /// Where records may begin. No disk writes a larger piece as one.
    static let pageByteCount = 4_096
    /// The bytes in front of the entries.
    static let headByteCount = 32

    private static let magic = UInt32(littleEndian: 0x314C_4948)

    /// The version that the group led to.
    let version: StoreVersion
    /// What it did, as `IntakeWriter` has it.
    let bytes: [UInt8]

    /// How many pages it takes.
    var pageCount: Int { Self.pageCount(of: bytes.count) }

    /// How many pages a record of so many bytes takes.
    static func pageCount(of byteCount: Int) -> Int {
        (headByteCount + byteCount + pageByteCount - 1) / pageByteCount
    }

    /// The record as it lies in a log of this salt.
    func frame(salt: UInt64) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(Self.headByteCount + bytes.count)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { frame.append(contentsOf: $0) }
        }
        append(Self.magic)
        append(UInt32(bytes.count))
        append(salt)
        append(UInt64(bitPattern: version.rawValue))
        append(bytes.withUnsafeBytes { Self.checksum($0, salt, version) })
        frame += bytes
        return frame
    }

    /// The record at a place of a log; `nil` if there is none, or not all of it.
    init?(in log: UnsafeRawBufferPointer, at place: Int, salt: UInt64) {
        guard place + Self.headByteCount <= log.count else { return nil }
        func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
            Number(littleEndian: log.loadUnaligned(fromByteOffset: place + offset, as: Number.self))
        }
        let count = Int(number(4, UInt32.self))
        guard number(0, UInt32.self) == Self.magic, number(8, UInt64.self) == salt,
            count <= log.count - place - Self.headByteCount
        else { return nil }
        let begin = place + Self.headByteCount
        let bytes = UnsafeRawBufferPointer(rebasing: log[begin..<(begin + count)])
        version = StoreVersion(Int64(bitPattern: number(16, UInt64.self)))
        guard number(24, UInt64.self) == Self.checksum(bytes, salt, version) else { return nil }
        self.bytes = [UInt8](bytes)
    }

    init(version: StoreVersion, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }

    /// A sum in which no change of a single word goes unnoticed, and any other with odds of 2^-64.
    private static func checksum(
        _ bytes: UnsafeRawBufferPointer, _ salt: UInt64, _ version: StoreVersion
    ) -> UInt64 {
        var sum = salt
        func add(_ word: UInt64) {
            sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
        }
        add(UInt64(bitPattern: version.rawValue))
        add(UInt64(bytes.count))
        let wholeCount = bytes.count / 8 * 8
        for place in stride(from: 0, to: wholeCount, by: 8) {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        }
        var rest: UInt64 = 0
        for (index, byte) in bytes[wholeCount...].enumerated() {
            rest |= UInt64(byte) << UInt64(8 * index)
        }
        add(rest)
        return sum
    }
}
