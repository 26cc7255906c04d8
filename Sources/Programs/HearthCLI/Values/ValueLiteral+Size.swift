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

    /// Bytes of JSON that one write of the Realtime Database may have, 16 MiB: as many as the service
    /// takes of a client, and fewer than a frame to the daemon holds.
    static let writeByteCountMax = 16 << 20

    /// How many bytes the value has as JSON of the Realtime Database, or a few more. O(parts).
    var jsonByteCount: Int {
        switch self {
        case .null, .boolean: 5
        case .integer(let number): String(number).utf8.count
        case .double(let number): number.description.utf8.count
        case .string(let text): Self.jsonByteCount(of: text)
        case .array(let elements):
            elements.enumerated().reduce(2) {
                $0 + $1.element.jsonByteCount + String($1.offset).utf8.count + 4
            }
        case .map(let fields):
            fields.reduce(2) { $0 + Self.jsonByteCount(of: $1.name) + $1.value.jsonByteCount + 2 }
        case .timestamp, .bytes, .reference, .geoPoint, .vector, .order: byteCountBound
        }
    }

    /// Checks that the value fits one write of the Realtime Database.
    func checkFitsWrite() throws(Failure) {
        let byteCount = jsonByteCount
        guard byteCount > Self.writeByteCountMax else { return }
        throw Failure(
            .failed,
            "The value has \(Quantity.number(byteCount)) bytes as JSON; one write takes "
                + "\(Quantity.number(Self.writeByteCountMax)) at most. \"hearth rtdb import\" "
                + "divides a file into several writes.")
    }

    private static func jsonByteCount(of text: String) -> Int {
        text.utf8.reduce(2) { count, byte in
            switch byte {
            case 0..<0x20: count + 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): count + 2
            default: count + 1
            }
        }
    }
}
