/// What REST must know of a message: the names that its fields have in JSON, and how they are written.
///
/// REST speaks of the same messages as gRPC. With this, JSON becomes the bytes of a request and the
/// bytes of an answer become JSON, and the service sees no difference.
struct ProtoSchema: Sendable {
    /// What a field holds.
    enum Kind: Equatable, Sendable {
        case boolean
        case int32
        case int64
        case double
        case string
        case bytes
        case null
        /// RFC 3339.
        case timestamp
        /// Seconds with an `s`.
        case duration
        /// A number in a message of its own, so that it can be absent.
        indirect case wrapped(Kind)
        /// An object of `google.protobuf.Struct`.
        case object
        /// A map of text to `Value`.
        case values
        /// A map of text to text.
        case labels
        /// One of some names.
        case choice(String)
        case message(String)
    }

    /// One field.
    struct Field: Sendable {
        let name: String
        let number: UInt8
        let kind: Kind
        let isRepeated: Bool
        /// Of the fields of a group, only one may be there.
        let group: String?

        /// The name as the `.proto` has it, which is understood too.
        var originalName: String {
            name.reduce(into: "") { text, letter in
                text += letter.isUppercase ? "_\(letter.lowercased())" : String(letter)
            }
        }
    }

    /// In the order in which answers show them.
    let fields: [Field]
    private let byName: [String: Int]
    private let byNumber: [UInt64: Int]

    private init(_ fields: [Field]) {
        self.fields = fields
        var names: [String: Int] = [:]
        for (index, field) in fields.enumerated() {
            names[field.name] = index
            names[field.originalName] = index
        }
        byName = names
        byNumber = Dictionary(
            uniqueKeysWithValues: fields.enumerated().map { (UInt64($1.number), $0) })
    }

    /// The field of a name, in either spelling.
    func field(_ name: String) -> Field? { byName[name].map { fields[$0] } }

    /// The place of the field of a number.
    func index(ofNumber number: UInt64) -> Int? { byNumber[number] }

    /// The message of this name.
    static func named(_ name: String) -> ProtoSchema {
        guard let schema = messages[name] else {
            preconditionFailure("no message \(name) in the table")
        }
        return schema
    }

    /// The names of a choice by number.
    static func choice(_ name: String) -> [UInt64: String] {
        guard let names = choices[name] else {
            preconditionFailure("no choice \(name) in the table")
        }
        return names
    }

    private static let messages: [String: ProtoSchema] = parse(ProtoSchemaText.messages) { parts in
        ProtoSchema(parts.map(field))
    }

    private static let choices: [String: [UInt64: String]] = parse(ProtoSchemaText.choices) {
        Dictionary(
            uniqueKeysWithValues: $0.map { words in (UInt64(words[1]) ?? 0, String(words[0])) })
    }

    /// Reads lines of `Name: part, part`.
    private static func parse<Entry>(
        _ text: String, _ entry: ([[Substring]]) -> Entry
    ) -> [String: Entry] {
        var result: [String: Entry] = [:]
        for line in text.split(separator: "\n") {
            let halves = line.split(separator: ":", maxSplits: 1)
            let parts = halves.count < 2 ? [] : halves[1].split(separator: ",")
            result[String(halves[0])] = entry(parts.map { $0.split(separator: " ") })
        }
        return result
    }

    /// Reads `name number kind`, where the kind may end in `[]`, and be followed by a group.
    private static func field(_ words: [Substring]) -> Field {
        let isRepeated = words[2].hasSuffix("[]")
        let kind = kind(String(isRepeated ? words[2].dropLast(2) : words[2]))
        return Field(
            name: String(words[0]), number: UInt8(words[1]) ?? 0, kind: kind,
            isRepeated: isRepeated, group: words.count > 3 ? String(words[3]) : nil)
    }

    private static func kind(_ name: String) -> Kind {
        switch name {
        case "bool": .boolean
        case "int32": .int32
        case "int64": .int64
        case "double": .double
        case "string": .string
        case "bytes": .bytes
        case "null": .null
        case "Timestamp": .timestamp
        case "Duration": .duration
        case "Int32Value": .wrapped(.int32)
        case "Int64Value": .wrapped(.int64)
        case "DoubleValue": .wrapped(.double)
        case "Struct": .object
        case "values": .values
        case "labels": .labels
        case let name where name.hasPrefix("="): .choice(String(name.dropFirst()))
        case let name: .message(name)
        }
    }
}
