/// The place of a value's type in the order across types.
package enum TypeOrder: Int, Comparable, Sendable {
    case null, boolean, number, timestamp, serverTimestamp, string, bytes, reference, geoPoint
    case array, vector, map

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension Value {
    /// Where the value's type stands.
    package var typeOrder: TypeOrder {
        switch self {
        case .null: .null
        case .boolean: .boolean
        case .integer, .double: .number
        case .timestamp: .timestamp
        case .serverTimestamp: .serverTimestamp
        case .string: .string
        case .bytes: .bytes
        case .reference: .reference
        case .geoPoint: .geoPoint
        case .array: .array
        case .map(let map): map.vectorElements == nil ? .map : .vector
        }
    }

    /// Orders two values of any types: negative, zero or positive. Zero does not mean `==`.
    ///
    /// - Source: firestore `model/values`, value order; section 3 of the backend's facts.
    package func compare(to other: Value) -> Int {
        let left = typeOrder
        let right = other.typeOrder
        if left != right { return left < right ? -1 : 1 }
        switch (self, other) {
        case (.boolean(let left), .boolean(let right)):
            return left == right ? 0 : (right ? -1 : 1)
        case (.integer(let left), .integer(let right)):
            return left < right ? -1 : (left == right ? 0 : 1)
        case (.double(let left), .double(let right)):
            return Self.compare(left, right)
        case (.integer(let left), .double(let right)):
            return -Self.compare(right, left)
        case (.double(let left), .integer(let right)):
            return Self.compare(left, right)
        case (.timestamp(let left), .timestamp(let right)):
            return left < right ? -1 : (left == right ? 0 : 1)
        case (.serverTimestamp(let left), .serverTimestamp(let right)):
            let (left, right) = (left.localWriteTime, right.localWriteTime)
            return left < right ? -1 : (left == right ? 0 : 1)
        case (.string(let left), .string(let right)):
            return utf8Compare(left, right)
        case (.bytes(let left), .bytes(let right)):
            return compareBytes(left, right)
        case (.reference(let left), .reference(let right)):
            return left.compare(to: right)
        case (.geoPoint(let left), .geoPoint(let right)):
            let order = Self.compare(left.latitude, right.latitude)
            return order != 0 ? order : Self.compare(left.longitude, right.longitude)
        case (.array(let left), .array(let right)):
            return Self.compare(left, right)
        case (.map(let left), .map(let right)):
            return left.compare(to: right)
        default:
            return 0  // Null and null; all other pairs of one type stand above.
        }
    }

    /// Whether the order sees no difference: the backend's equality.
    package func isEquivalent(to other: Value) -> Bool { compare(to: other) == 0 }

    /// Elementwise, then by length.
    static func compare(_ left: [Value], _ right: [Value]) -> Int {
        for (first, second) in zip(left, right) {
            let order = first.compare(to: second)
            if order != 0 { return order }
        }
        return left.count - right.count
    }

    /// NaN first and equal to itself; -0.0 equal to 0.0.
    private static func compare(_ left: Double, _ right: Double) -> Int {
        if left < right { return -1 }
        if left > right { return 1 }
        if left == right { return 0 }
        return left.isNaN ? (right.isNaN ? 0 : -1) : 1
    }

    /// Exact, although a double cannot hold every Int64.
    private static func compare(_ left: Double, _ right: Int64) -> Int {
        if left.isNaN || left < -0x1p63 { return -1 }
        if left >= 0x1p63 { return 1 }
        let whole = Int64(left)  // Rounds toward zero; in range by the two tests above.
        if whole != right { return whole < right ? -1 : 1 }
        return compare(left, Double(whole))
    }
}

extension MapValue {
    /// Vectors by length, then elements; other maps by keys and values pairwise, then by size.
    func compare(to other: MapValue) -> Int {
        if let left = vectorElements, let right = other.vectorElements {
            return left.count != right.count
                ? left.count - right.count : Value.compare(left, right)
        }
        for (left, right) in zip(entries, other.entries) {
            let keys = utf8Compare(left.key, right.key)
            if keys != 0 { return keys }
            let values = left.value.compare(to: right.value)
            if values != 0 { return values }
        }
        return entries.count - other.entries.count
    }
}
