import Glibc
import HearthEngine

/// One group in the intake log: the group's entries, and the version of the store behind the group.
///
/// Shape: "HIL1" | length u32 LE | salt u64 LE | version u64 LE | checksum u64 LE | length bytes.
/// `IntakePages` decides where the record lies.
package struct IntakeRecord: Hashable {
    /// The bytes in front of the entries.
    static let headByteCount = 32

    /// Each record begins with these.
    private static let magic = Array("HIL1".utf8)

    /// The version that the group led to.
    package let version: StoreVersion
    /// The group's entries, as `IntakeWriter` puts them together.
    package let bytes: [UInt8]

    init(version: StoreVersion, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }

    /// The room that the record takes.
    var byteCount: Int { Self.headByteCount + bytes.count }

    /// Writes the record as it lies in a log of this salt, from the beginning of `place` on.
    func write(to place: UnsafeMutableRawBufferPointer, salt: UInt64) {
        func put(_ number: some FixedWidthInteger, at offset: Int) {
            place.storeBytes(of: number.littleEndian, toByteOffset: offset, as: type(of: number))
        }
        bytes.withUnsafeBytes { bytes in
            place.copyBytes(from: Self.magic)
            put(UInt32(bytes.count), at: 4)
            put(salt, at: 8)
            put(UInt64(bitPattern: version.rawValue), at: 16)
            put(Self.checksum(bytes, salt, version), at: 24)
            UnsafeMutableRawBufferPointer(rebasing: place[Self.headByteCount...])
                .copyMemory(from: bytes)
        }
    }

    /// Where a record may begin next, from a place on; `nil` for nowhere before `end`.
    static func nextPlace(in log: UnsafeRawBufferPointer, from place: Int, to end: Int) -> Int? {
        // By the C library, because most of a log is zeros.
        guard let start = log.baseAddress,
            let found = memchr(start + place, Int32(magic[0]), end - place)
        else { return nil }
        return UnsafeRawPointer(found) - start
    }

    /// The salt that the record at a place bears; `nil` if there is none, or not all of it.
    static func salt(in log: UnsafeRawBufferPointer, at place: Int) -> UInt64? {
        guard place + headByteCount <= log.count else { return nil }
        let salt = UInt64(
            littleEndian: log.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self))
        return IntakeRecord(in: log, at: place, salt: salt) == nil ? nil : salt
    }

    /// The record at a place of a log; `nil` if there is none, or not all of it.
    init?(in log: UnsafeRawBufferPointer, at place: Int, salt: UInt64) {
        guard place + Self.headByteCount <= log.count else { return nil }
        func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
            Number(littleEndian: log.loadUnaligned(fromByteOffset: place + offset, as: Number.self))
        }
        let count = Int(number(4, UInt32.self))
        guard log[place..<(place + 4)].elementsEqual(Self.magic), number(8, UInt64.self) == salt,
            count <= log.count - place - Self.headByteCount
        else { return nil }
        let begin = place + Self.headByteCount
        let bytes = UnsafeRawBufferPointer(rebasing: log[begin..<(begin + count)])
        version = StoreVersion(Int64(bitPattern: number(16, UInt64.self)))
        guard number(24, UInt64.self) == Self.checksum(bytes, salt, version) else { return nil }
        self.bytes = [UInt8](bytes)
    }

    /// A checksum that finds each change of a single word, and misses others with odds of 2^-64.
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
