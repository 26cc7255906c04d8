/// Reads packed fields, or a map inside, field by field.
///
/// The bytes have been checked: what cannot be read is our own bug.
struct PackedFieldsReader {
    /// The tags of values on the wire; a text and bytes have a second byte, `secondTagByte`.
    enum Tag {
        static let boolean: UInt8 = 0x08
        static let integer: UInt8 = 0x10
        static let double: UInt8 = 0x19
        static let reference: UInt8 = 0x2A
        static let map: UInt8 = 0x32
        static let geoPoint: UInt8 = 0x42
        static let array: UInt8 = 0x4A
        static let timestamp: UInt8 = 0x52
        static let null: UInt8 = 0x58
        static let string: UInt8 = 0x8A
        static let bytes: UInt8 = 0x92
        static let secondTagByte: UInt8 = 0x01
    }

    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    /// Reads from the first byte to the last.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    private var isAtEnd: Bool { position == bytes.count }

    /// The name of the next field and its value, both unread; `nil` at the end.
    mutating func nextField(
        _ tag: UInt8
    ) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        if isAtEnd { return nil }
        expect(tag)
        _ = varint()
        expect(0x0A)
        let name = content()
        expect(0x12)
        return (name, content())
    }

    /// The next element of an array, unread; `nil` at the end.
    mutating func nextElement() -> UnsafeRawBufferPointer? {
        if isAtEnd { return nil }
        expect(0x0A)
        return content()
    }

    /// The fields up to the end.
    mutating func entries(_ tag: UInt8) -> [MapValue.Entry] {
        var entries: [MapValue.Entry] = []
        while let field = nextField(tag) {
            entries.append(
                MapValue.Entry(
                    key: String(decoding: field.name, as: UTF8.self),
                    value: Self.value(field.value)))
        }
        return entries
    }

    /// What is in a map, an array, or another value that is a message.
    static func content(of value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var reader = PackedFieldsReader(value)
        reader.position = 1
        return reader.content()
    }

    /// Reads a value.
    static func value(_ bytes: UnsafeRawBufferPointer) -> Value {
        var reader = PackedFieldsReader(bytes)
        return reader.value()
    }

    private mutating func value() -> Value {
        let tag = byte()
        switch tag {
        case Tag.null: return .null
        case Tag.boolean: return .boolean(byte() != 0)
        case Tag.integer: return .integer(Int64(bitPattern: varint()))
        case Tag.double: return .double(double())
        case Tag.string:
            expect(Tag.secondTagByte)
            return .string(String(decoding: content(), as: UTF8.self))
        case Tag.bytes:
            expect(Tag.secondTagByte)
            return .bytes([UInt8](content()))
        default: break
        }
        var content = PackedFieldsReader(content())
        switch tag {
        case Tag.timestamp: return .timestamp(content.timestamp())
        case Tag.geoPoint: return .geoPoint(content.geoPoint())
        case Tag.reference: return .reference(content.reference())
        case Tag.map:
            return .map(MapValue(sorted: content.entries(PackedFields.innerFieldTag)))
        case Tag.array:
            var elements: [Value] = []
            while let element = content.nextElement() { elements.append(Self.value(element)) }
            return .array(elements)
        default: preconditionFailure("A packed value of tag \(tag)")
        }
    }

    private mutating func timestamp() -> Timestamp {
        var (seconds, nanoseconds): (Int64, Int32) = (0, 0)
        while !isAtEnd {
            if byte() == 0x08 {
                seconds = Int64(bitPattern: varint())
            } else {
                nanoseconds = Int32(truncatingIfNeeded: varint())
            }
        }
        return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }

    private mutating func geoPoint() -> GeoPoint {
        var (latitude, longitude) = (0.0, 0.0)
        while !isAtEnd {
            if byte() == 0x09 { latitude = double() } else { longitude = double() }
        }
        return GeoPoint(latitude: latitude, longitude: longitude)
    }

    private func reference() -> DocumentName {
        guard let name = DocumentName(String(decoding: bytes, as: UTF8.self)) else {
            preconditionFailure("A packed reference is no name")
        }
        return name
    }

    private mutating func expect(_ wanted: UInt8) {
        let found = byte()
        precondition(found == wanted, "Packed fields have \(found) in place of \(wanted)")
    }

    private mutating func byte() -> UInt8 { take(1)[0] }

    private mutating func double() -> Double {
        Double(bitPattern: UInt64(littleEndian: take(8).loadUnaligned(as: UInt64.self)))
    }

    private mutating func varint() -> UInt64 {
        var (result, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = byte()
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
    }

    private mutating func content() -> UnsafeRawBufferPointer { take(Int(varint())) }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
        precondition(count <= bytes.count - position, "Packed fields end too early")
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }
}
