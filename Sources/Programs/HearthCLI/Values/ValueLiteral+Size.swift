extension ValueLiteral {
    /// The most bytes that the value takes in a request to Firestore. O(parts).
    var byteCountBound: Int {
        let head = 12  // Two tags and two lengths.
        return switch self {
        case .null, .boolean: head
        case .integer, .double, .timestamp, .geoPoint: head + 24
        case .string(let text): head + text.utf8.count
        case .bytes(let bytes): head + bytes.count
        // The whole name begins with the names of the project and the database.
        case .reference(let path): head + 256 + path.utf8.count
        case .vector(let elements): head + 64 + elements.count * 12
        case .array(let elements): Self.sum(elements) + head
        case .map(let fields):
            fields.reduce(head) { $0 + $1.name.utf8.count + $1.value.byteCountBound + 12 }
        case .order(let order):
            switch order {
            case .delete, .serverTimestamp, .increment, .maximum, .minimum: head + 24
            case .arrayUnion(let elements), .arrayRemove(let elements): Self.sum(elements) + head
            }
        }
    }

    private static func sum(_ elements: [ValueLiteral]) -> Int {
        elements.reduce(0) { $0 + $1.byteCountBound }
    }
}
