package import HearthModel

/// Tells from a document's bytes whether a field can hold a value of a list, without decoding.
///
/// Our writer gives each value a single spelling, so different bytes mean different values. Numbers
/// are the exception: an integer and a double can be equal. A scan that turns away most documents
/// spends only a few comparisons on each document.
package struct FieldProbe: Sendable {
    private let name: [UInt8]
    private let values: [[UInt8]]

    /// Looks for values in a field of the document itself; `nil` if their bytes cannot tell.
    ///
    /// - Parameters:
    ///   - field: The field, whose path must have one segment.
    ///   - values: The values that are looked for.
    ///   - isStrict: Whether 1 and 1.0 are two values.
    ///   - codec: Spells the values as the documents do.
    package init?(
        _ field: FieldPath, in values: [Value], isStrict: Bool, _ codec: FirestoreCodec
    ) {
        guard field.count == 1, !field.isDocumentID else { return nil }
        var spellings: [[UInt8]] = []
        for value in values {
            switch value {
            case .null, .boolean, .timestamp, .string, .bytes, .reference: break
            case .integer where isStrict: break
            case .integer, .double, .serverTimestamp, .geoPoint, .array, .map: return nil
            }
            var writer = WireWriter()
            do throws(CodecError) {
                try codec.write(value, depth: 0, to: &writer)
            } catch {
                return nil
            }
            spellings.append(writer.bytes)
        }
        name = Array(field.segments[0].utf8)
        self.values = spellings
    }

    /// Whether the field may hold one of the values; `true` too for bytes that cannot be understood.
    package func mayMatch(_ document: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position < document.count {
            let tag = document[position]
            // Times stand behind the fields.
            guard tag == 0x12 else { return tag != 0x1A && tag != 0x22 }
            position += 1
            guard let count = Self.count(in: document, at: &position),
                count <= document.count - position
            else { return true }
            let end = position + count
            defer { position = end }
            // A field is its name, tag 1, and its value, tag 2.
            guard position < end, document[position] == 0x0A else { return true }
            position += 1
            guard let nameCount = Self.count(in: document, at: &position),
                nameCount <= end - position
            else { return true }
            guard nameCount == name.count, Self.holds(name, document, at: position) else {
                continue
            }
            position += nameCount
            guard position < end, document[position] == 0x12 else { return true }
            position += 1
            guard let valueCount = Self.count(in: document, at: &position),
                valueCount == end - position
            else { return true }
            return values.contains {
                $0.count == valueCount && Self.holds($0, document, at: position)
            }
        }
        return false
    }

    private static func holds(
        _ wanted: [UInt8], _ document: UnsafeRawBufferPointer, at start: Int
    ) -> Bool {
        wanted.withUnsafeBufferPointer { wanted in
            for index in 0..<wanted.count where document[start + index] != wanted[index] {
                return false
            }
            return true
        }
    }

    private static func count(in document: UnsafeRawBufferPointer, at position: inout Int) -> Int? {
        var result = 0
        var shift = 0
        while position < document.count, shift < 35 {
            let byte = document[position]
            position += 1
            result |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
        return nil
    }
}
