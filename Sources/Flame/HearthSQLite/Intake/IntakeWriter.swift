package import HearthEngine
package import HearthModel

/// What a group does, put together as bytes for the intake log while the group is open.
///
/// Each content defines its own entries, and writes the entries with the fields below.
/// `changeCount` says how many changed rows the bytes account for. A group that changed more rows
/// did something that the log cannot tell.
///
/// Shape: entries, each a kind u8 and its fields; numbers are 8 bytes LE, times two of them, texts and
/// bytes stand behind their length u32 LE, and what is missing has the length 0xFFFFFFFF.
package struct IntakeWriter: Hashable {
    /// The bytes put together so far; empty once the group is too long.
    package private(set) var bytes: [UInt8] = []
    /// Whether the group did more than a record takes.
    private(set) var isTooLong = false
    /// Whether losing the group does harm.
    package var isUrgent = false
    /// How many changed rows the bytes account for.
    package var changeCount: Int64 = 0

    /// The entries of a group that did nothing yet.
    package init() {}

    /// Begins an entry.
    ///
    /// - Parameter kind: The entry's number. A number keeps its meaning for good, because a later
    ///   program reads the log of an earlier program.
    package mutating func begin(_ kind: UInt8) {
        if bytes.count > StoreLimits.intakeRecordByteCountMax {
            bytes = []
            isTooLong = true
        }
        if bytes.isEmpty { bytes.reserveCapacity(StoreLimits.intakeRecordByteCount) }
        bytes.append(kind)
    }
}

/// The fields of an entry, as `IntakeReader` reads them.
extension IntakeWriter {
    /// A whole number.
    package mutating func number(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A time.
    package mutating func time(_ value: Timestamp) {
        number(value.seconds)
        number(Int64(value.nanoseconds))
    }

    /// Bytes, or that there are none.
    package mutating func data(_ value: [UInt8]?) {
        guard let value else { return length(.max) }
        length(UInt32(value.count))
        bytes += value
    }

    /// A text, or that there is none.
    package mutating func text(_ value: String?) {
        guard var value else { return length(.max) }
        value.withUTF8 {
            length(UInt32($0.count))
            bytes.append(contentsOf: $0)
        }
    }

    /// A write's identity: the Unix user, the client and the sequence number.
    package mutating func write(_ write: WriteIdentity) {
        number(Int64(write.uid))
        number(Int64(bitPattern: write.client.high))
        number(Int64(bitPattern: write.client.low))
        number(Int64(bitPattern: write.sequence))
    }

    private mutating func length(_ count: UInt32) {
        withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
