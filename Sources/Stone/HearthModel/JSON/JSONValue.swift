/// A JSON text, read. Members keep their order and their bytes.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A number without fraction and exponent that fits.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One member of an object.
    package struct Member: Hashable, Sendable {
        /// The name. Never the same bytes as another's.
        package let name: String
        /// What it holds.
        package let value: JSONValue

        /// Pairs a name with a value.
        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The member of this name; `nil` if this is no object or has none. O(members).
    package subscript(name: String) -> JSONValue? {
        members?.first { utf8Equals($0.name, name) }?.value
    }

    /// The members, if this is an object.
    package var members: [Member]? {
        if case .object(let members) = self { return members }
        return nil
    }

    /// The elements, if this is an array.
    package var elements: [JSONValue]? {
        if case .array(let elements) = self { return elements }
        return nil
    }

    /// The text, if this is a string.
    package var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The flag, if this is one.
    package var boolean: Bool? {
        if case .boolean(let flag) = self { return flag }
        return nil
    }

    /// The whole number, if this is one.
    package var integer: Int64? {
        if case .integer(let number) = self { return number }
        return nil
    }

    /// The number as a double, if this is one.
    package var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .null, .boolean, .string, .array, .object: nil
        }
    }
}

/// Why a text is no JSON.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, in bytes from the start.
    package let offset: Int
    /// What is wrong there.
    package let reason: String

    /// Says what is wrong, and where.
    package init(offset: Int, reason: String) {
        self.offset = offset
        self.reason = reason
    }

    package var description: String { "The JSON is wrong at byte \(offset): \(reason)." }
}
