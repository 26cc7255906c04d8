package import HearthModel

/// Short ways to write JSON.
extension JSONValue {
    /// An object; members keep their order.
    package static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(name: $0.key, value: $0.value) })
    }

    /// The same object with one more member.
    package func adding(_ name: String, _ value: JSONValue) -> JSONValue {
        .object((members ?? []) + [Member(name: name, value: value)])
    }

    /// A whole number.
    package static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }

    /// Text, or null.
    package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// A span in seconds, or null.
    package static func seconds(_ span: Duration?) -> JSONValue {
        .number(span.map { $0 / .seconds(1) })
    }

    /// A number, or null for none and for what JSON cannot write.
    package static func number(_ number: Double?) -> JSONValue {
        number.flatMap { $0.isFinite ? .double($0) : nil } ?? .null
    }

    /// Texts.
    package static func texts(_ texts: some Sequence<String>) -> JSONValue {
        .array(texts.map { .string($0) })
    }

    /// An error in the form of every failed request.
    package static func failure(_ error: HearthError) -> JSONValue {
        .members(["error": .fault(error)])
    }

    /// An error as a value.
    package static func fault(_ error: HearthError) -> JSONValue {
        .members(["code": .string(error.code.name), "message": .string(error.message)])
    }
}
