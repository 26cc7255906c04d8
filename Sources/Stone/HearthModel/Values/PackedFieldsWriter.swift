/// Writes values as packed fields have them; `PlainFieldsCheck` then tells whether the values are plain.
struct PackedFieldsWriter {
    private typealias Tag = PackedFieldsReader.Tag

    /// What has been written.
    private(set) var bytes: [UInt8] = []

    /// Writes the fields of a map.
    ///
    /// - Returns: False for a value without a form on the wire, and as soon as the bytes are too many.
    mutating func write(_ entries: [MapValue.Entry], _ tag: UInt8) -> Bool {
        entries.allSatisfy { entry in
            message(tag) { writer in
                writer.text(0x0A, entry.key)
                return writer.message(0x12) { $0.write(entry.value) }
            }
        }
    }

    private mutating func write(_ value: Value) -> Bool {
        switch value {
        case .null: bytes += [Tag.null, 0]
        case .boolean(let flag): bytes += [Tag.boolean, flag ? 1 : 0]
        case .integer(let number): varint(Tag.integer, UInt64(bitPattern: number))
        case .double(let number): double(Tag.double, number)
        case .timestamp(let time):
            return message(Tag.timestamp) { writer in
                if time.seconds != 0 { writer.varint(0x08, UInt64(bitPattern: time.seconds)) }
                if time.nanoseconds != 0 { writer.varint(0x10, UInt64(time.nanoseconds)) }
                return true
            }
        case .serverTimestamp: return false
        case .string(let text):
            guard text.utf8.count <= PackedFields.byteCountMax else { return false }
            bytes.append(Tag.string)
            self.text(Tag.secondTagByte, text)
        case .bytes(let run):
            guard run.count <= PackedFields.byteCountMax else { return false }
            bytes.append(Tag.bytes)
            varint(Tag.secondTagByte, UInt64(run.count))
            bytes += run
        case .reference(let name): text(Tag.reference, name.description)
        case .geoPoint(let point):
            return message(Tag.geoPoint) { writer in
                if point.latitude.bitPattern != 0 { writer.double(0x09, point.latitude) }
                if point.longitude.bitPattern != 0 { writer.double(0x11, point.longitude) }
                return true
            }
        case .array(let elements):
            return message(Tag.array) { writer in
                elements.allSatisfy { element in writer.message(0x0A) { $0.write(element) } }
            }
        case .map(let map):
            return message(Tag.map) { $0.write(map.entries, PackedFields.innerFieldTag) }
        }
        return bytes.count <= PackedFields.byteCountMax
    }

    /// Writes a message inside, with its length before it.
    private mutating func message(
        _ tag: UInt8, _ body: (inout PackedFieldsWriter) -> Bool
    ) -> Bool {
        bytes += [tag, 0]
        let start = bytes.count
        guard body(&self), bytes.count <= PackedFields.byteCountMax else { return false }
        let length = bytes.count - start
        bytes[start - 1] = UInt8(length & 0x7F)
        if length >= 0x80 {
            // The most bytes have a length of two.
            bytes[start - 1] |= 0x80
            bytes.insert(UInt8(length >> 7), at: start)
        }
        return true
    }

    private mutating func text(_ tag: UInt8, _ text: String) {
        varint(tag, UInt64(text.utf8.count))
        bytes += text.utf8
    }

    private mutating func double(_ tag: UInt8, _ number: Double) {
        bytes.append(tag)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func varint(_ tag: UInt8, _ value: UInt64) {
        bytes.append(tag)
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
