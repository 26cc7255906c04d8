/// Reads protobuf's wire format from borrowed bytes, field by field, and never beyond the end.
///
/// Generated messages cost an allocation for each value. A query may read a hundred thousand
/// documents, and the allocations would then take most of the time. The codec therefore reads
/// documents straight into our own values. The creator of a reader must keep the bytes alive while
/// the reader lasts.
///
/// The methods throw `CodecError`, `unreadable`, for bytes that are not in the wire format.
package struct WireReader {
    /// How the content of a field is laid out.
    package enum Kind: UInt8 {
        case varint = 0
        case fixed64 = 1
        case lengthDelimited = 2
        case groupStart = 3
        case groupEnd = 4
        case fixed32 = 5
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    /// Reads from the first byte to the last.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether everything has been read.
    package var isAtEnd: Bool { position == bytes.count }

    /// What has not been read.
    package var rest: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[position...])
    }

    /// The number and kind of the next field; `nil` at the end.
    package mutating func next() throws(CodecError) -> (number: UInt64, kind: Kind)? {
        if isAtEnd { return nil }
        let tag = try varint()
        guard let kind = Kind(rawValue: UInt8(tag & 7)), tag >> 3 != 0 else { throw Self.garbage }
        return (tag >> 3, kind)
    }

    /// A number of up to ten bytes, seven bits each, the lowest first.
    package mutating func varint() throws(CodecError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
            guard shift < 64 else { throw Self.garbage }
        }
        throw Self.garbage
    }

    /// Eight bytes, the lowest first.
    package mutating func fixed64() throws(CodecError) -> UInt64 {
        let content = try take(8)
        return UInt64(littleEndian: content.loadUnaligned(as: UInt64.self))
    }

    /// The bytes of a length-delimited field.
    package mutating func content() throws(CodecError) -> UnsafeRawBufferPointer {
        let count = try varint()
        guard count <= UInt64(bytes.count - position) else { throw Self.garbage }
        return try take(Int(count))
    }

    /// A message inside this one.
    package mutating func message() throws(CodecError) -> WireReader {
        WireReader(try content())
    }

    /// A text, which must be valid UTF-8.
    package mutating func string() throws(CodecError) -> String {
        try Self.string(try content())
    }

    /// Passes over the content of a field that nobody knows.
    package mutating func skip(_ kind: Kind) throws(CodecError) {
        switch kind {
        case .varint: _ = try varint()
        case .fixed64: _ = try take(8)
        case .lengthDelimited: _ = try content()
        case .fixed32: _ = try take(4)
        case .groupStart, .groupEnd: throw Self.garbage  // Not in any of our messages.
        }
    }

    /// The text of some bytes, which must be valid UTF-8.
    package static func string(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> String {
        // Most texts are ASCII, and the check of the others is slow to begin.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw garbage }
        return text
    }

    private mutating func take(_ count: Int) throws(CodecError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - position else { throw Self.garbage }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    private static let garbage = CodecError(.unreadable(type: "protobuf message"))
}
