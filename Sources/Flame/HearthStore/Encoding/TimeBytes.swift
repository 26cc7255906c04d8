import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// Times as bytes whose order is the order of times, with every digit that was received.
///
/// Shape: seconds i64 BE with the sign flipped | nanoseconds u32 BE.
enum TimeBytes {
    /// Bytes of one time.
    static let count = 12
    private static let runByteCount = count + 4
    /// More writes than any batch has: beyond, the bytes are damaged.
    private static let runLengthMax: UInt32 = 1 << 20

    /// Bytes that are no time, behind all times.
    static let largest = [UInt8](repeating: .max, count: count + 1)

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

    /// The bytes of versions in runs of like versions: each version, then its count as u32 BE.
    static func runs(of versions: [SnapshotVersion]) -> [UInt8] {
        var runs: [(version: SnapshotVersion, count: UInt32)] = []
        for version in versions {
            if runs.last?.version == version {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((version, 1))
            }
        }
        return runs.flatMap { run in
            bytes(of: run.version) + withUnsafeBytes(of: run.count.bigEndian) { Array($0) }
        }
    }

    /// Reads the versions that `runs` has written.
    static func versions(fromRuns bytes: UnsafeRawBufferPointer) throws(StoreError)
        -> [SnapshotVersion]
    {
        guard bytes.count % runByteCount == 0 else {
            throw .damaged("update times of \(bytes.count) bytes")
        }
        var versions: [SnapshotVersion] = []
        for start in stride(from: 0, to: bytes.count, by: runByteCount) {
            let end = start + count
            let version = SnapshotVersion(try time(from: .init(rebasing: bytes[start..<end])))
            let length = UInt32(
                bigEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self))
            guard length <= runLengthMax - UInt32(versions.count) else {
                throw .damaged("more update times than a batch has writes")
            }
            versions += repeatElement(version, count: Int(length))
        }
        return versions
    }

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
