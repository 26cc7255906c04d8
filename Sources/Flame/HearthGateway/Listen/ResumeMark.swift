import HearthModel

/// Where a client of a watch stream has got to, as the bytes of a resume token.
///
///     "hg1"  epoch  stream  number  seconds  nanoseconds       big-endian
///
/// A token means something to the daemon's process that made it. Another process, or a token with
/// other bytes, makes the gateway send the client everything anew.
struct ResumeMark: Hashable, Sendable {
    /// The life of the process, by chance.
    let epoch: UInt64
    /// The stream, within the epoch.
    let stream: UInt64
    /// The last message that the client was told.
    let number: UInt64
    /// The time of that message: no later message to the client may have an earlier one.
    let readAt: Timestamp

    private static let prefix = Array("hg1".utf8)
    private static let byteCount = prefix.count + 3 * 8 + 8 + 4

    /// Takes the parts.
    init(epoch: UInt64, stream: UInt64, number: UInt64, readAt: Timestamp) {
        self.epoch = epoch
        self.stream = stream
        self.number = number
        self.readAt = readAt
    }

    /// Reads a token; `nil` for one that no gateway made.
    init?(_ token: ResumeToken) {
        let bytes = token.bytes
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.prefix) else { return nil }
        func number(_ place: Int, _ count: Int) -> UInt64 {
            let start = Self.prefix.count + place
            return bytes[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
        }
        let seconds = Int64(bitPattern: number(24, 8))
        let nanoseconds = number(32, 4)
        guard Timestamp.secondsRange.contains(seconds), nanoseconds < 1_000_000_000 else {
            return nil
        }
        self.init(
            epoch: number(0, 8), stream: number(8, 8), number: number(16, 8),
            readAt: Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
    }

    /// The token's bytes.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { target, count in
            let target = UnsafeMutableRawBufferPointer(target)
            target.copyBytes(from: Self.prefix)
            count = Self.prefix.count
            func put<Number: FixedWidthInteger>(_ number: Number) {
                target.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
                count += MemoryLayout<Number>.size
            }
            put(epoch)
            put(stream)
            put(number)
            put(readAt.seconds)
            put(readAt.nanoseconds)
        }
    }
}
