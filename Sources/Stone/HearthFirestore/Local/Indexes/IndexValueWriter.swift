package import HearthModel

/// Writes values as bytes whose order is the order of values, for the entries of indexes.
///
/// Shape: a label for the type, then the content, then `FF FF`. Labels: null 5, boolean 10, NaN 13,
/// number 15, timestamp 20, pending timestamp 22, string 25, bytes 30, reference 37, geo point 45,
/// array 50, vector 53, map 55, a segment of a reference 60. In texts and bytes `00` is
/// written `00 FF` and `FF` is `FF 00`; `00 01` ends them. `02`, below every label, ends what has
/// parts.
///
/// A number is its double with the sign flipped (all bits, if the number is negative). The writer
/// cuts the double's leading zero bytes away and writes the count of the remaining bytes in front.
/// From 2^53 on, where a double no longer holds every integer, two bytes tell how far the integer
/// is from the double. A descending value has all its bits inverted.
///
/// - Source: firestore `index/firestore_index_value_writer`, with labels of one byte.
package struct IndexValueWriter: Sendable {
    /// What has been written.
    package private(set) var bytes: [UInt8] = []

    /// Starts with nothing, or behind what was written before.
    package init(after bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// Appends a value and its end.
    package mutating func append(_ value: Value, _ kind: FieldIndex.Kind) {
        let start = bytes.count
        append(value)
        bytes.append(0xFF)
        bytes.append(0xFF)
        if kind == .descending {
            for index in start..<bytes.count { bytes[index] = ~bytes[index] }
        }
    }

    /// A value alone.
    package static func bytes(of value: Value, _ kind: FieldIndex.Kind) -> [UInt8] {
        var writer = IndexValueWriter()
        writer.append(value, kind)
        return writer.bytes
    }

    private mutating func append(_ value: Value) {
        switch value {
        case .null:
            bytes.append(IndexLabel.null)
        case .boolean(let flag):
            bytes.append(IndexLabel.boolean)
            bytes.append(flag ? 1 : 0)
        case .integer(let number):
            append(number)
        case .double(let number):
            append(number)
        case .timestamp(let time):
            bytes.append(IndexLabel.timestamp)
            append(time)
        case .serverTimestamp(let pending):
            bytes.append(IndexLabel.serverTimestamp)
            append(pending.localWriteTime)
        case .string(let text):
            bytes.append(IndexLabel.string)
            append(text)
            bytes.append(IndexLabel.end)
        case .bytes(let content):
            bytes.append(IndexLabel.bytes)
            content.withUnsafeBufferPointer { append(escaping: $0) }
            bytes.append(IndexLabel.end)
        case .reference(let name):
            append(name)
        case .geoPoint(let point):
            bytes.append(IndexLabel.geoPoint)
            append(ordered: point.latitude)
            append(ordered: point.longitude)
        case .array(let elements):
            bytes.append(IndexLabel.array)
            for element in elements { append(element) }
            bytes.append(IndexLabel.end)
        case .map(let map):
            append(map)
        }
    }

    private mutating func append(_ map: MapValue) {
        if let elements = map.vectorElements {
            bytes.append(IndexLabel.vector)
            append(bigEndian: UInt64(elements.count), byteCount: 4)
            for element in elements { append(element) }
        } else {
            bytes.append(IndexLabel.map)
            for entry in map.entries {
                bytes.append(IndexLabel.string)
                append(entry.key)
                append(entry.value)
            }
        }
        bytes.append(IndexLabel.end)
    }

    private mutating func append(_ name: DocumentName) {
        bytes.append(IndexLabel.reference)
        append(name.database.project)
        append(name.database.database)
        for segment in name.path.segments {
            bytes.append(IndexLabel.segment)
            if let number = ResourcePath.numericID(of: segment) {
                bytes.append(1)
                append(bigEndian: UInt64(bitPattern: number) ^ (1 << 63), byteCount: 8)
            } else {
                bytes.append(2)
                append(segment)
            }
        }
        bytes.append(IndexLabel.end)
    }

    // MARK: Numbers and times

    private mutating func append(_ number: Int64) {
        let double = Double(number)
        bytes.append(IndexLabel.number)
        append(ordered: double)
        guard abs(double) >= 0x1p53 else { return }
        // Rounded up, Int64.max is 2^63, which no Int64 holds.
        let rest = double >= 0x1p63 ? number - Int64.max - 1 : number - Int64(double)
        append(bigEndian: UInt64(0x8000 + rest), byteCount: 2)
    }

    private mutating func append(_ number: Double) {
        if number.isNaN {
            bytes.append(IndexLabel.notANumber)
            return
        }
        bytes.append(IndexLabel.number)
        append(ordered: number)
        if abs(number) >= 0x1p53 { append(bigEndian: 0x8000, byteCount: 2) }
    }

    private mutating func append(ordered number: Double) {
        let bits = (number == 0 ? 0.0 : number).bitPattern  // Both zeros are one place.
        let ordered = bits >> 63 == 1 ? ~bits : bits ^ (1 << 63)
        let count = 8 - ordered.leadingZeroBitCount / 8
        bytes.append(UInt8(count))
        append(bigEndian: ordered, byteCount: count)
    }

    private mutating func append(_ time: Timestamp) {
        append(bigEndian: UInt64(bitPattern: time.seconds) ^ (1 << 63), byteCount: 8)
        append(bigEndian: UInt64(time.nanoseconds), byteCount: 4)
    }

    private mutating func append(bigEndian number: UInt64, byteCount: Int) {
        for index in stride(from: byteCount - 1, through: 0, by: -1) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
        }
    }

    // MARK: Texts

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(escaping: $0) }
    }

    private mutating func append(escaping content: UnsafeBufferPointer<UInt8>) {
        if content.contains(where: { $0 == 0 || $0 == 0xFF }) {
            for byte in content {
                bytes.append(byte)
                if byte == 0 { bytes.append(0xFF) }
                if byte == 0xFF { bytes.append(0) }
            }
        } else {
            bytes.append(contentsOf: content)
        }
        bytes.append(0)
        bytes.append(1)
    }
}

/// The first byte of an encoded value, which is its type.
enum IndexLabel {
    static let end: UInt8 = 2
    static let null: UInt8 = 5
    static let boolean: UInt8 = 10
    static let notANumber: UInt8 = 13
    static let number: UInt8 = 15
    static let timestamp: UInt8 = 20
    static let serverTimestamp: UInt8 = 22
    static let string: UInt8 = 25
    static let bytes: UInt8 = 30
    static let reference: UInt8 = 37
    static let geoPoint: UInt8 = 45
    static let array: UInt8 = 50
    static let vector: UInt8 = 53
    static let map: UInt8 = 55
    static let segment: UInt8 = 60

    /// The labels of a type's values: comparisons with a value of the type hold for no others.
    static func labels(of type: TypeOrder) -> ClosedRange<UInt8> {
        switch type {
        case .null: null...null
        case .boolean: boolean...boolean
        case .number: notANumber...number
        case .timestamp: timestamp...timestamp
        case .serverTimestamp: serverTimestamp...serverTimestamp
        case .string: string...string
        case .bytes: bytes...bytes
        case .reference: reference...reference
        case .geoPoint: geoPoint...geoPoint
        case .array: array...array
        case .vector: vector...vector
        case .map: map...map
        }
    }
}
