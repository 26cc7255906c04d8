import Hearth

/// A value in the form that people and files write and read, before a database knows the value.
///
/// Every type of Firestore has a case, so that printed values can be read back without loss.
/// `ValueReader` defines the form that is read, `ValueWriter` the form that is printed.
indirect enum ValueLiteral: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case timestamp(Timestamp)
    case string(String)
    case bytes([UInt8])
    /// A document's path, or the full name of a document of another database.
    case reference(String)
    case geoPoint(GeoPoint)
    case vector([Double])
    case array([ValueLiteral])
    case map([Field])
    /// No value, but what is to be done to the field.
    case order(Order)

    /// One field of a map.
    struct Field: Hashable, Sendable {
        let name: String
        let value: ValueLiteral
    }

    /// What can stand in place of a value in a write.
    enum Order: Hashable, Sendable {
        case delete
        case serverTimestamp
        case increment(Operand)
        case maximum(Operand)
        case minimum(Operand)
        case arrayUnion([ValueLiteral])
        case arrayRemove([ValueLiteral])
    }

    /// A number that an order counts with.
    enum Operand: Hashable, Sendable {
        case integer(Int64)
        case double(Double)
    }
}

extension ValueLiteral {
    /// The fields, if this is a map.
    var fields: [Field]? {
        if case .map(let fields) = self { return fields }
        return nil
    }

    /// The elements, if this is an array.
    var elements: [ValueLiteral]? {
        if case .array(let elements) = self { return elements }
        return nil
    }

    /// The field of this name, byte for byte. O(fields).
    subscript(name: String) -> ValueLiteral? {
        fields?.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// What the value is, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .double: "a double"
        case .timestamp: "a timestamp"
        case .string: "a string"
        case .bytes: "bytes"
        case .reference: "a reference"
        case .geoPoint: "a geo point"
        case .vector: "a vector"
        case .array: "an array"
        case .map: "a map"
        case .order: "an order such as increment"
        }
    }

    /// The number, if an order can count with it.
    var operand: Operand? {
        switch self {
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .null, .boolean, .timestamp, .string, .bytes, .reference, .geoPoint, .vector, .array,
            .map, .order:
            nil
        }
    }

    /// The number as a double, if this is one.
    var number: Double? {
        switch operand {
        case .integer(let number): Double(number)
        case .double(let number): number
        case nil: nil
        }
    }
}
