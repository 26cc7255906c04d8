import HearthModel

/// The headers or trailers of a call, in their order. A name may come more than once.
package struct HeaderFields: Equatable, Sendable {
    /// One name with its value.
    package struct Field: Equatable, Sendable {
        /// The name, in small letters.
        package let name: String
        /// The value.
        package let value: String

        package static func == (one: Field, other: Field) -> Bool {
            utf8Equals(one.name, other.name) && utf8Equals(one.value, other.value)
        }

        /// The bytes of the field as HTTP/2 counts them.
        var byteCount: Int { name.utf8.count + value.utf8.count + 32 }
    }

    private var fields: [Field] = []

    /// No fields.
    package init() {}

    /// Keeps room for so many fields.
    mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

    /// Adds a field.
    package mutating func add(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Adds a field.
    mutating func add(_ field: Field) { fields.append(field) }

    /// The first value of a name; `nil` if there is none.
    package func first(name: String) -> String? {
        fields.first { utf8Equals($0.name, name) }?.value
    }

    /// All values of a name.
    package subscript(name: String) -> [String] {
        fields.filter { utf8Equals($0.name, name) }.map(\.value)
    }

    /// The bytes of all names and values.
    var textByteCount: Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }

    /// The bytes of all fields as HTTP/2 counts them.
    var byteCount: Int { fields.reduce(0) { $0 + $1.byteCount } }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0, value: $1) }
    }
}

extension HeaderFields: RandomAccessCollection {
    /// The place of the first field.
    package var startIndex: Int { fields.startIndex }
    /// The place behind the last field.
    package var endIndex: Int { fields.endIndex }
    /// The field at a place.
    package subscript(index: Int) -> Field { fields[index] }
}
