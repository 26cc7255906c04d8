/// How much room values take.
extension Value {
    /// The most bytes that the value takes in `google.firestore.v1`, with its tag and length. O(parts).
    package var byteCountBound: Int {
        let head = 12  // Two tags and two lengths.
        return switch self {
        case .null, .boolean: head
        case .integer, .double, .timestamp, .geoPoint: head + 24
        case .serverTimestamp(let pending):
            head + 128 + (pending.previousValue?.byteCountBound ?? 0)
        case .string(let text): head + text.utf8.count
        case .bytes(let bytes): head + bytes.count
        case .reference(let name):
            head + name.description.utf8.count
        case .array(let elements): elements.reduce(head) { $0 + $1.byteCountBound }
        case .map(let map): head + map.byteCountBound
        }
    }
}

extension MapValue {
    /// The most bytes that the entries take in `google.firestore.v1`. O(parts).
    package var byteCountBound: Int {
        entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.byteCountBound + 12 }
    }
}
