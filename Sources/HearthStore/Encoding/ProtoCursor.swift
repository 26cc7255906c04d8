import HearthFirestore

/// Walks the fields of a protobuf message where its bytes lie, without building anything.
struct ProtoCursor {
    /// What a field's number and wire type say.
    struct Tag {
        let field: UInt64
        let wireType: UInt64
    }

    private var next: UnsafeRawPointer
    private let end: UnsafeRawPointer

    /// Starts at the first field.
    init(_ bytes: UnsafeRawBufferPointer) {
        // An empty message has no address; any pointer will do, since it is never read.
        next = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
        end = next + bytes.count
    }

    /// Whether nothing is left.
    var isAtEnd: Bool { next >= end }

    /// The next field's tag; `nil` at the end.
    mutating func tag() throws(StoreError) -> Tag? {
        guard next < end else { return nil }
        let number = try varint()
        return Tag(field: number >> 3, wireType: number & 7)
    }

    /// A number of up to ten bytes.
    mutating func varint() throws(StoreError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while next < end, shift < 64 {
            let byte = next.load(as: UInt8.self)
            next += 1
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
        throw .damaged("a message's number")
    }

    /// A double.
    mutating func double() throws(StoreError) -> Double {
        guard end - next >= 8 else { throw .damaged("a message's double") }
        let bits = next.loadUnaligned(as: UInt64.self)
        next += 8
        return Double(bitPattern: UInt64(littleEndian: bits))
    }

    /// The bytes of a string, of bytes, or of a message inside.
    mutating func bytes() throws(StoreError) -> UnsafeRawBufferPointer {
        let count = try varint()
        guard count <= UInt64(end - next) else { throw .damaged("a message's length") }
        let result = UnsafeRawBufferPointer(start: next, count: Int(count))
        next += Int(count)
        return result
    }

    /// Goes past a field's content.
    mutating func skip(_ tag: Tag) throws(StoreError) {
        switch tag.wireType {
        case 0: _ = try varint()
        case 1: try skip(byteCount: 8)
        case 2: _ = try bytes()
        case 5: try skip(byteCount: 4)
        default: throw .damaged("a message's wire type \(tag.wireType)")
        }
    }

    private mutating func skip(byteCount: Int) throws(StoreError) {
        guard end - next >= byteCount else { throw .damaged("a message's end") }
        next += byteCount
    }
}
