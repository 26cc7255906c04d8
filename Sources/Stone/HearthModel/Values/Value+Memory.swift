extension Value {
    /// Bytes of a piece of memory beside its content: the piece's own head, and what the allocator adds.
    fileprivate static let pieceByteCount = 48

    /// About the most bytes that the value takes in memory, with its place among others. O(parts).
    ///
    /// An array that has grown may be half empty, so a place counts twice.
    package var memoryByteCount: Int {
        let place = 2 * MemoryLayout<Value>.stride
        let piece = Self.pieceByteCount
        return switch self {
        case .null, .boolean, .integer, .double, .timestamp, .geoPoint: place
        case .serverTimestamp(let pending):
            place + 2 * piece + (pending.previousValue?.memoryByteCount ?? 0)
        case .string(let text): place + piece + text.utf8.count
        case .bytes(let bytes): place + piece + bytes.count
        case .reference(let name): place + 4 * piece + name.description.utf8.count
        case .array(let elements): elements.reduce(place + piece) { $0 + $1.memoryByteCount }
        case .map(let map): place + map.memoryByteCount
        }
    }
}

extension MapValue {
    /// About the most bytes that the entries take in memory. O(parts); O(1) for packed fields.
    package var memoryByteCount: Int {
        let piece = Value.pieceByteCount
        if let packedFields { return piece + packedFields.byteCount }
        return entries.reduce(piece) {
            let name = $1.key.utf8.count
            // A short text lies in its place.
            let text = name > 15 ? piece + name : 0
            return $0 + 2 * MemoryLayout<String>.stride + text + $1.value.memoryByteCount
        }
    }
}
