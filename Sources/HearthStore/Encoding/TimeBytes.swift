import HearthFirestore
import HearthModel

/// Times as bytes whose order is the order of times, with every digit that was received.
///
/// Shape: seconds i64 BE with the sign flipped | nanoseconds u32 BE.
enum TimeBytes {
    private static let count = 12

    /// The bytes of a time.
    static func bytes(of time: Timestamp) -> [UInt8] {
        let seconds = UInt64(bitPattern: time.seconds) ^ (1 << 63)
        let nanoseconds = UInt32(time.nanoseconds)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            for index in 0..<8 {
                buffer[index] = UInt8(truncatingIfNeeded: seconds >> UInt64(56 - 8 * index))
            }
            for index in 0..<4 {
                buffer[8 + index] = UInt8(truncatingIfNeeded: nanoseconds >> UInt32(24 - 8 * index))
            }
            filled = count
        }
    }

    /// The bytes of a version.
    static func bytes(of version: SnapshotVersion) -> [UInt8] { bytes(of: version.timestamp) }

    /// Reads a time.
    static func time(from bytes: UnsafeRawBufferPointer) throws(StoreError) -> Timestamp {
        guard bytes.count == count else { throw .damaged("a time of \(bytes.count) bytes") }
        var seconds: UInt64 = 0
        for byte in bytes[..<8] { seconds = seconds << 8 | UInt64(byte) }
        var nanoseconds: UInt32 = 0
        for byte in bytes[8...] { nanoseconds = nanoseconds << 8 | UInt32(byte) }
        guard nanoseconds < 1_000_000_000 else { throw .damaged("\(nanoseconds) ns in a second") }
        return Timestamp(
            seconds: Int64(bitPattern: seconds ^ (1 << 63)), nanoseconds: Int32(nanoseconds))
    }
}

extension Row {
    /// A column's time.
    func time(_ column: Int32) throws(StoreError) -> Timestamp {
        try withBytes(column) { bytes throws(StoreError) in try TimeBytes.time(from: bytes) }
    }

    /// A column's version; zero for NULL.
    func version(_ column: Int32) throws(StoreError) -> SnapshotVersion {
        isNull(column) ? .zero : SnapshotVersion(try time(column))
    }
}
