package import HearthEngine
package import HearthModel

/// What a group did, put together as bytes for the intake log while it is done.
///
/// Each content has entries of its own, and writes them with the fields that are here. `changeCount` says
/// how many changed rows the bytes account for; a group that changed more did something else besides, and
/// cannot be told.
///
/// Shape: entries, each a kind u8 and its fields; numbers are 8 bytes LE, times two of them, texts and
/// bytes stand behind their length u32 LE, and what is missing has the length 0xFFFFFFFF.
package struct IntakeWriter: Hashable {
    /// What was put together so far; nothing once it is too much.
    package private(set) var bytes: [UInt8] = []
    /// Whether the group did more than a record takes.
    private(set) var isTooLong = false
    /// Whether it does harm to lose it.
    package var isUrgent = false
    /// How many changed rows it stands for.
    package var changeCount: Int64 = 0

    /// Of a group that did nothing yet.
    package init() {}

    /// Begins an entry.
    ///
    /// - Parameter kind: Its number, which keeps its meaning for good: a later program reads the log of an
    ///   earlier one.
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

    /// Which write of which client.
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
