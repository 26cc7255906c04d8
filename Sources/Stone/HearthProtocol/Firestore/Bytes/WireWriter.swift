/// Writes protobuf's wire format, in one pass.
///
/// A message's length stands before it and is known after it: one byte is kept free for it, and only
/// a message of 128 bytes or more is moved to make room for the rest.
package struct WireWriter {
    /// What has been written.
    package private(set) var bytes: [UInt8] = []

    /// Starts with room for a common document.
    package init(capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
    }

    /// Writes a number's field.
    package mutating func varint(_ field: UInt8, _ value: UInt64) {
        tag(field, .varint)
        varint(value)
    }

    /// Writes a field of eight bytes.
    package mutating func fixed64(_ field: UInt8, _ value: UInt64) {
        tag(field, .fixed64)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Writes a text's field.
    package mutating func string(_ field: UInt8, _ text: String) {
        tag(field, .lengthDelimited)
        varint(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a field of bytes.
    package mutating func data(_ field: UInt8, _ data: [UInt8]) {
        tag(field, .lengthDelimited)
        varint(UInt64(data.count))
        bytes.append(contentsOf: data)
    }

    /// Writes fields that have the wire's form already.
    package mutating func fields(_ wire: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: wire)
    }

    /// Begins a message inside this one; `end` must follow, with what this returns.
    package mutating func begin(_ field: UInt8) -> Int {
        tag(field, .lengthDelimited)
        return begin()
    }

    /// Begins a message with a leading length but no tag; `end` must follow.
    package mutating func begin() -> Int {
        bytes.append(0)
        return bytes.count
    }

    /// Ends the message that began at `start`.
    package mutating func end(_ start: Int) {
        var length = UInt64(bytes.count - start)
        if length < 0x80 {
            bytes[start - 1] = UInt8(length)
            return
        }
        var prefix: [UInt8] = []
        while length >= 0x80 {
            prefix.append(UInt8(truncatingIfNeeded: length) | 0x80)
            length >>= 7
        }
        prefix.append(UInt8(length))
        bytes.replaceSubrange(start - 1..<start, with: prefix)
    }

    /// Writes a number of a packed field, between its `begin` and `end`.
    package mutating func packed(_ value: UInt64) {
        varint(value)
    }

    private mutating func tag(_ field: UInt8, _ kind: WireReader.Kind) {
        varint(UInt64(field) << 3 | UInt64(kind.rawValue))
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
