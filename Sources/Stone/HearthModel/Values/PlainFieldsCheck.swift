/// Finds out whether fields from outside are plain, so that `PackedFields` may hold the fields' bytes.
///
/// Each method reads one part, and returns the size of the part by Firestore's rule; `nil` stands for
/// everything that `PackedFields` does not hold, right or wrong.
struct PlainFieldsCheck {
    /// How many maps and arrays may lie inside each other, and the longest name: Firestore's limits.
    private static let nestingMax = 20
    private static let nameByteCountMax = PathLimits.fieldPathByteCountMax

    private typealias Tag = PackedFieldsReader.Tag

    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// Whether the fields of all maps are in the order of their names, and no two have one name.
    private(set) var isSorted = true
    /// Whether no number is NaN, which may have many bit patterns.
    private(set) var isSpelledOnce = true

    /// Begins at the first byte.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Checks the fields of a map.
    mutating func fields(_ tag: UInt8, before end: Int, depth: Int) -> Int? {
        var size = 0
        var last: UnsafeRawBufferPointer?
        while position < end {
            guard take(tag, before: end), let fieldEnd = length(before: end),
                take(0x0A, before: fieldEnd), let name = text(before: fieldEnd),
                1...Self.nameByteCountMax ~= name.count, !Self.isReserved(name),
                take(0x12, before: fieldEnd), let valueEnd = length(before: fieldEnd),
                valueEnd == fieldEnd, let valueSize = value(before: valueEnd, depth: depth)
            else { return nil }
            if let last, utf8Compare(last, name) >= 0 { isSorted = false }
            last = name
            size += name.count + 1 + valueSize
        }
        return size
    }

    /// Checks a value that ends at a place.
    private mutating func value(before end: Int, depth: Int) -> Int? {
        guard position < end else { return nil }
        let tag = bytes[position]
        position += 1
        let size: Int?
        switch tag {
        case Tag.null: size = take(0, before: end) ? 1 : nil
        case Tag.boolean: size = take(0, before: end) || take(1, before: end) ? 1 : nil
        case Tag.integer: size = varint(before: end).map { _ in 8 }
        case Tag.double:
            guard let number = double(before: end) else { return nil }
            if number.isNaN { isSpelledOnce = false }
            size = 8
        case Tag.string:
            guard take(Tag.secondTagByte, before: end) else { return nil }
            size = text(before: end).map { $0.count + 1 }
        case Tag.bytes:
            guard take(Tag.secondTagByte, before: end) else { return nil }
            size = run(before: end)?.count
        case Tag.timestamp: size = message(before: end) { $0.timestamp(before: $1) }
        case Tag.geoPoint: size = message(before: end) { $0.geoPoint(before: $1) }
        case Tag.reference: size = text(before: end).flatMap(Self.reference)
        case Tag.array: size = message(before: end) { $0.elements(before: $1, depth: depth) }
        case Tag.map:
            size = message(before: end) { check, end in
                depth < Self.nestingMax
                    ? check.fields(PackedFields.innerFieldTag, before: end, depth: depth + 1) : nil
            }
        default: return nil
        }
        return position == end ? size : nil
    }

    private mutating func elements(before end: Int, depth: Int) -> Int? {
        guard depth < Self.nestingMax else { return nil }
        var size = 0
        while position < end {
            guard take(0x0A, before: end), let elementEnd = length(before: end),
                position < elementEnd, bytes[position] != Tag.array,
                let elementSize = value(before: elementEnd, depth: depth + 1)
            else { return nil }
            size += elementSize
        }
        return size
    }

    /// Whole microseconds, as the backend keeps times.
    private mutating func timestamp(before end: Int) -> Int? {
        if take(0x08, before: end) {
            guard let seconds = varint(before: end), seconds != 0,
                Timestamp.secondsRange.contains(Int64(bitPattern: seconds))
            else { return nil }
        }
        if take(0x10, before: end) {
            guard let nanoseconds = varint(before: end), 1..<1_000_000_000 ~= nanoseconds,
                nanoseconds.isMultiple(of: 1_000)
            else { return nil }
        }
        return 8
    }

    private mutating func geoPoint(before end: Int) -> Int? {
        var (latitude, longitude) = (0.0, 0.0)
        if take(0x09, before: end) {
            guard let number = double(before: end), number.bitPattern != 0 else { return nil }
            latitude = number
        }
        if take(0x11, before: end) {
            guard let number = double(before: end), number.bitPattern != 0 else { return nil }
            longitude = number
        }
        return GeoPoint(latitude: latitude, longitude: longitude).isValid ? 16 : nil
    }

    /// The name of a document, as a reference must have it.
    private static func reference(_ text: UnsafeRawBufferPointer) -> Int? {
        guard let name = DocumentName(String(decoding: text, as: UTF8.self)), name.key != nil,
            (try? name.path.checkLimits()) != nil
        else { return nil }
        return name.storedByteCount
    }

    private static func isReserved(_ name: UnsafeRawBufferPointer) -> Bool {
        name.count >= 2 && name[0] == UInt8(ascii: "_") && name[1] == UInt8(ascii: "_")
    }
}

/// The parts of the wire's format.
extension PlainFieldsCheck {
    /// Passes a byte, if the byte is the next.
    private mutating func take(_ byte: UInt8, before end: Int) -> Bool {
        guard position < end, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// A number of up to ten bytes in its shortest spelling.
    private mutating func varint(before end: Int) -> UInt64? {
        var (result, shift): (UInt64, UInt64) = (0, 0)
        while position < end, shift < 64 {
            let byte = bytes[position]
            position += 1
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                let isShortest = byte != 0 || shift == 0
                return isShortest && (shift < 63 || byte <= 1) ? result : nil
            }
            shift += 7
        }
        return nil
    }

    private mutating func double(before end: Int) -> Double? {
        guard end - position >= 8 else { return nil }
        defer { position += 8 }
        let pattern = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        return Double(bitPattern: UInt64(littleEndian: pattern))
    }

    /// Reads a length; returns the place behind what is so long.
    private mutating func length(before end: Int) -> Int? {
        guard let count = varint(before: end), count <= UInt64(end - position) else { return nil }
        return position + Int(count)
    }

    private mutating func run(before end: Int) -> UnsafeRawBufferPointer? {
        guard let runEnd = length(before: end) else { return nil }
        defer { position = runEnd }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<runEnd])
    }

    /// A run of bytes that is valid UTF-8.
    private mutating func text(before end: Int) -> UnsafeRawBufferPointer? {
        guard let text = run(before: end) else { return nil }
        // Most texts are ASCII, and the check of the others is slow to begin.
        if text.allSatisfy({ $0 < 0x80 }) { return text }
        return String(validating: text, as: UTF8.self) == nil ? nil : text
    }

    private mutating func message(
        before end: Int, _ body: (inout PlainFieldsCheck, _ end: Int) -> Int?
    ) -> Int? {
        guard let messageEnd = length(before: end), let size = body(&self, messageEnd),
            position == messageEnd
        else { return nil }
        return size
    }
}
