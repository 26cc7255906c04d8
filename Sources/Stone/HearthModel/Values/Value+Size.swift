/// How much room values take, and how deep they lie.
extension Value {
    /// How many maps and arrays may lie inside each other.
    ///
    /// Firestore itself allows 20. Readers of protobuf stop at 100 messages inside each other, a map
    /// costs three, and the frames around a document need some.
    package static let nestingMax = 30

    /// How many maps and arrays lie inside each other here; 0 for a plain value. O(parts).
    package var nesting: Int {
        switch self {
        case .array(let elements): 1 + (elements.lazy.map(\.nesting).max() ?? 0)
        case .map(let map): 1 + map.nesting
        case .serverTimestamp(let pending): 1 + (pending.previousValue?.nesting ?? 0)
        case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint:
            0
        }
    }

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

    /// The size by Firestore's own rule. O(parts).
    ///
    /// - Source: Firestore's documentation of storage sizes.
    package var storedByteCount: Int {
        switch self {
        case .null, .boolean: 1
        case .integer, .double, .timestamp, .serverTimestamp: 8
        case .string(let text): text.utf8.count + 1
        case .bytes(let bytes): bytes.count
        case .reference(let name): name.storedByteCount
        case .geoPoint: 16
        case .array(let elements): elements.reduce(0) { $0 + $1.storedByteCount }
        case .map(let map): map.storedByteCount
        }
    }
}

extension MapValue {
    /// How many maps and arrays lie inside each other in an entry. O(parts).
    package var nesting: Int { entries.lazy.map(\.value.nesting).max() ?? 0 }

    /// The most bytes that the entries take in `google.firestore.v1`. O(parts).
    package var byteCountBound: Int {
        entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.byteCountBound + 12 }
    }

    /// The size of the entries by Firestore's own rule. O(parts); O(1) for packed fields.
    package var storedByteCount: Int {
        if let packedFields { return packedFields.storedByteCount }
        return entries.reduce(0) { $0 + $1.key.utf8.count + 1 + $1.value.storedByteCount }
    }
}

extension ResourcePath {
    /// The size of a name by Firestore's own rule: its ids, a byte each to end them, and 16 bytes.
    package var storedByteCount: Int { string.utf8.count + 1 + 16 }
}

extension DocumentName {
    /// The size of a reference by Firestore's own rule; the database does not count.
    package var storedByteCount: Int { path.storedByteCount }
}
