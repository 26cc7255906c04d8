import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// What became of a promise, as bytes; none for a batch that was refused.
///
/// Shape: commit time | for each document with another version: its time, then the length of its
/// path u32 BE, then the path. Times are `TimeBytes`.
enum PromiseBytes {
    /// The bytes of an outcome.
    static func bytes(of outcome: SettledPromise.Outcome) -> [UInt8]? {
        switch outcome {
        case .rejected: return nil
        case .committed(let version, let others):
            var bytes = TimeBytes.bytes(of: version)
            for (key, version) in others {
                let path = Array(key.path.string.utf8)
                bytes += TimeBytes.bytes(of: version)
                bytes += withUnsafeBytes(of: UInt32(path.count).bigEndian) { Array($0) }
                bytes += path
            }
            return bytes
        }
    }

    /// Reads an outcome.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no outcome leaves.
    static func outcome(from bytes: [UInt8]?) throws(StoreError) -> SettledPromise.Outcome {
        guard let bytes else { return .rejected }
        return try bytes.lend { bytes throws(StoreError) in
            var rest = bytes[...]
            let version = try takeVersion(&rest)
            var others: [DocumentKey: SnapshotVersion] = [:]
            while !rest.isEmpty {
                let version = try takeVersion(&rest)
                others[try takeKey(&rest)] = version
            }
            return .committed(at: version, besides: others)
        }
    }

    private static func takeVersion(
        _ rest: inout Slice<UnsafeRawBufferPointer>
    ) throws(StoreError) -> SnapshotVersion {
        guard rest.count >= TimeBytes.count else { throw .damaged("what became of a promise") }
        let time = try TimeBytes.time(from: .init(rebasing: rest.prefix(TimeBytes.count)))
        rest = rest.dropFirst(TimeBytes.count)
        return SnapshotVersion(time)
    }

    private static func takeKey(
        _ rest: inout Slice<UnsafeRawBufferPointer>
    ) throws(StoreError) -> DocumentKey {
        let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let path = rest.dropFirst(4).prefix(count)
        guard rest.count >= 4 + count, let text = String(validating: path, as: UTF8.self),
            let key = try? DocumentKey(parsing: text)
        else { throw .damaged("the document of a promise") }
        rest = rest.dropFirst(4 + count)
        return key
    }
}

extension Row {
    /// A column's promise, in microseconds; `nil` for NULL, for none, and for what nobody promises.
    func promise(_ column: Int32) -> Timestamp? {
        isNull(column) ? nil : Timestamp(storedPromise: int(column))
    }
}
