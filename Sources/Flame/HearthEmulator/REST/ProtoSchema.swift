/// The fields of a message for REST: their names in JSON and the form of their values.
///
/// REST uses the same messages as gRPC. The schema lets REST turn JSON into the bytes of a request,
/// and the bytes of an answer into JSON. So the service need not know whether a call came by REST
/// or gRPC.
struct ProtoSchema: Sendable {
    /// The kind of a field's value.
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
        /// A number in a message of its own, because the number may be absent.
        indirect case wrapped(Kind)
        /// An object of `google.protobuf.Struct`.
        case object
        /// A map of text to `Value`.
        case values
        /// A map of text to text.
        case labels
        /// A name of an enumeration; the text names the enumeration.
        case choice(String)
        case message(String)
    }

    /// One field.
    struct Field: Sendable {
        let name: String
        let number: UInt8
        let kind: Kind
        let isRepeated: Bool
        /// The oneof of the field; `nil` for none. A message may hold one field of a group.
        let group: String?

        /// The name in the spelling of the `.proto`, which requests may use too.
        var originalName: String {
            name.reduce(into: "") { text, letter in
                text += letter.isUppercase ? "_\(letter.lowercased())" : String(letter)
            }
        }
    }

    /// The fields in the order in which answers show them.
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

    /// The index in `fields` of the field with a number.
    func index(ofNumber number: UInt64) -> Int? { byNumber[number] }

    /// The message of a name, which must be in the table.
    static func named(_ name: String) -> ProtoSchema {
        guard let schema = messages[name] else {
            preconditionFailure("no message \(name) in the table")
        }
        return schema
    }

    /// The names of a choice by number; the choice must be in the table.
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
