import HearthEngine
import HearthFirestore
import HearthModel

/// The fields of an index as bytes.
///
/// Shape: for each, kind u8 | count of the path's segments u16 BE | for each, byte count u16 BE, UTF-8.
enum IndexFieldBytes {
    /// The bytes of an index's fields.
    static func bytes(of segments: [FieldIndex.Segment]) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ count: Int) {
            bytes.append(UInt8(truncatingIfNeeded: count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: count))
        }
        for segment in segments {
            bytes.append(segment.kind.rawValue)
            append(segment.field.segments.count)
            for name in segment.field.segments {
                append(name.utf8.count)
                bytes.append(contentsOf: name.utf8)
            }
        }
        return bytes
    }

    /// Reads an index's fields.
    static func segments(from bytes: [UInt8]) throws(StoreError) -> [FieldIndex.Segment] {
        var rest = bytes[...]
        func number(_ count: Int) throws(StoreError) -> Int {
            guard rest.count >= count else { throw .damaged("the fields of an index") }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }
        var segments: [FieldIndex.Segment] = []
        while !rest.isEmpty {
            guard let kind = FieldIndex.Kind(rawValue: UInt8(try number(1))) else {
                throw .damaged("the fields of an index")
            }
            var names: [String] = []
            for _ in 0..<(try number(2)) {
                let count = try number(2)
                guard rest.count >= count else { throw .damaged("the fields of an index") }
                names.append(String(decoding: rest.prefix(count), as: UTF8.self))
                rest = rest.dropFirst(count)
            }
            segments.append(.init(FieldPath(names), kind))
        }
        return segments
    }
}
