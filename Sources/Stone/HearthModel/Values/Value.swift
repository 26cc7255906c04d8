/// A Firestore value.
///
/// `==` is the strict equality of the client SDKs: 1 is not 1.0, 0.0 is not -0.0, NaN is NaN.
/// `compare` is the order, in which those are the same. The backend knows only the order.
package enum Value: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case timestamp(Timestamp)
    /// Local only: a server timestamp that the backend has not set yet.
    indirect case serverTimestamp(PendingServerTimestamp)
    case string(String)
    case bytes([UInt8])
    indirect case reference(DocumentName)
    case geoPoint(GeoPoint)
    case array([Value])
    /// Vectors are maps too: `__type__` is `__vector__`, `value` an array of numbers.
    case map(MapValue)
}

/// What stands in for a server timestamp until the backend has set it.
package struct PendingServerTimestamp: Hashable, Sendable {
    /// When the write was accepted here; the estimate.
    package let localWriteTime: Timestamp
    /// The value that the field had before, if any; never itself pending.
    package let previousValue: Value?

    /// A chain of pending values keeps only the oldest real one.
    package init(localWriteTime: Timestamp, previousValue: Value?) {
        self.localWriteTime = localWriteTime
        if case .serverTimestamp(let earlier)? = previousValue {
            self.previousValue = earlier.previousValue
        } else {
            self.previousValue = previousValue
        }
    }
}

extension Value: Hashable {
    package static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): strictlyEqual(left, right)
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.serverTimestamp(let left), .serverTimestamp(let right)):
            // Equality ignores the previous value, which decides only how the timestamp is shown.
            left.localWriteTime == right.localWriteTime
        case (.string(let left), .string(let right)): utf8Equals(left, right)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.geoPoint(let left), .geoPoint(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.map(let left), .map(let right)): left == right
        case (.null, _), (.boolean, _), (.integer, _), (.double, _), (.timestamp, _),
            (.serverTimestamp, _), (.string, _), (.bytes, _), (.reference, _), (.geoPoint, _),
            (.array, _), (.map, _):
            false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(tag)
        switch self {
        case .null: break
        case .boolean(let flag): hasher.combine(flag)
        case .integer(let number): hasher.combine(number)
        case .double(let number): hashStrictly(number, into: &hasher)
        case .timestamp(let time): hasher.combine(time)
        case .serverTimestamp(let pending): hasher.combine(pending.localWriteTime)
        case .string(let text): hashUTF8(text, into: &hasher)
        case .bytes(let bytes): hasher.combine(bytes)
        case .reference(let name): hasher.combine(name)
        case .geoPoint(let point): hasher.combine(point)
        case .array(let elements): hasher.combine(elements)
        case .map(let map): hasher.combine(map)
        }
    }

    /// Tells the cases apart in a hash.
    private var tag: UInt8 {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer: 2
        case .double: 3
        case .timestamp: 4
        case .serverTimestamp: 5
        case .string: 6
        case .bytes: 7
        case .reference: 8
        case .geoPoint: 9
        case .array: 10
        case .map: 11
        }
    }
}

extension Value {
    /// An integer or a double.
    package var isNumber: Bool {
        switch self {
        case .integer, .double: true
        case .null, .boolean, .timestamp, .serverTimestamp, .string, .bytes, .reference, .geoPoint,
            .array, .map:
            false
        }
    }

    /// A double, which may be a whole number.
    package var isDouble: Bool {
        if case .double = self { return true }
        return false
    }

    /// A double that is not a number.
    package var isNaN: Bool {
        if case .double(let number) = self { return number.isNaN }
        return false
    }

    /// The null value.
    package var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// The elements, if this is an array.
    package var arrayElements: [Value]? {
        if case .array(let elements) = self { return elements }
        return nil
    }

    /// The elements, if this is a vector.
    package var vectorElements: [Value]? {
        if case .map(let map) = self { return map.vectorElements }
        return nil
    }

    /// A vector of doubles.
    package static func vector(_ elements: [Double]) -> Value {
        .map(
            MapValue([
                ("__type__", .string("__vector__")),
                ("value", .array(elements.map { .double($0) })),
            ]))
    }
}
