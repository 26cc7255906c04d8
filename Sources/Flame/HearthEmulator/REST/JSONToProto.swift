import HearthModel
import HearthProtocol

/// Writes JSON as the bytes of a message, by protobuf's JSON mapping.
///
/// Shape: names in lowerCamel or in the spelling of the `.proto`; whole numbers as numbers or
/// texts; bytes in either base64; `NaN` and the infinities as texts; null as a missing field,
/// except in a null value.
enum JSONToProto {
    /// The bytes of a message.
    ///
    /// - Throws: `invalidArgument` for an unknown name, for a value of another kind, and for two
    ///   fields of a oneof.
    static func bytes(
        of json: JSONValue, as message: String
    ) throws(HearthError) -> [UInt8] {
        var writer = WireWriter()
        try write(json, as: .named(message), to: &writer)
        return writer.bytes
    }

    /// The error for JSON that is no valid message.
    static let invalid = HearthError.argument("Payload isn't valid for request.")

    private static func write(
        _ json: JSONValue, as schema: ProtoSchema, to writer: inout WireWriter
    ) throws(HearthError) {
        guard let members = json.members else { throw invalid }
        var groups: Set<String> = []
        for member in members {
            guard let field = schema.field(member.name) else { throw invalid }
            if member.value == .null, field.kind != .null { continue }
            if let group = field.group, !groups.insert(group).inserted { throw invalid }
            if field.isRepeated {
                guard let elements = member.value.elements else { throw invalid }
                for element in elements { try write(element, field, to: &writer) }
            } else {
                try write(member.value, field, to: &writer)
            }
        }
    }

    private static func write(
        _ json: JSONValue, _ field: ProtoSchema.Field, to writer: inout WireWriter
    ) throws(HearthError) {
        switch field.kind {
        case .boolean, .int32, .int64, .double:
            try write(json, field.kind, field.number, to: &writer)
        case .wrapped(let kind):
            let start = writer.begin(field.number)
            try write(json, kind, 1, to: &writer)
            writer.end(start)
        case .string:
            guard let text = json.string else { throw invalid }
            writer.string(field.number, text)
        case .bytes:
            guard let text = json.string, let bytes = Base64.decode(text) else { throw invalid }
            writer.data(field.number, bytes)
        case .null:
            guard json == .null || json.string.map({ utf8Equals($0, "NULL_VALUE") }) == true else {
                throw invalid
            }
            writer.varint(field.number, 0)
        case .timestamp:
            guard let text = json.string, let time = Timestamp(text) else { throw invalid }
            let start = writer.begin(field.number)
            writer.varint(1, UInt64(bitPattern: time.seconds))
            writer.varint(2, UInt64(time.nanoseconds))
            writer.end(start)
        case .choice(let name):
            writer.varint(field.number, try choice(json, name))
        case .values, .labels:
            try writeEntries(json, field, to: &writer)
        case .message(let name):
            let start = writer.begin(field.number)
            try write(json, as: .named(name), to: &writer)
            writer.end(start)
        case .duration, .object:
            throw invalid  // No request holds a field of these kinds.
        }
    }

    private static func writeEntries(
        _ json: JSONValue, _ field: ProtoSchema.Field, to writer: inout WireWriter
    ) throws(HearthError) {
        guard let members = json.members else { throw invalid }
        for member in members {
            let entry = writer.begin(field.number)
            writer.string(1, member.name)
            if field.kind == .labels {
                guard let text = member.value.string else { throw invalid }
                writer.string(2, text)
            } else {
                let value = writer.begin(2)
                try write(member.value, as: .named("Value"), to: &writer)
                writer.end(value)
            }
            writer.end(entry)
        }
    }

    private static func write(
        _ json: JSONValue, _ kind: ProtoSchema.Kind, _ number: UInt8, to writer: inout WireWriter
    ) throws(HearthError) {
        switch kind {
        case .boolean:
            writer.varint(number, try boolean(json) ? 1 : 0)
        case .int32:
            guard let value = integer(json), let short = Int32(exactly: value) else {
                throw invalid
            }
            writer.varint(number, UInt64(bitPattern: Int64(short)))
        case .int64:
            guard let value = integer(json) else { throw invalid }
            writer.varint(number, UInt64(bitPattern: value))
        default:
            guard let value = double(json) else { throw invalid }
            writer.fixed64(number, value.bitPattern)
        }
    }

    private static func boolean(_ json: JSONValue) throws(HearthError) -> Bool {
        if let flag = json.boolean { return flag }
        switch json.string {
        case "true": return true
        case "false": return false
        default: throw invalid
        }
    }

    private static func integer(_ json: JSONValue) -> Int64? {
        switch json {
        case .integer(let number): number
        case .double(let number): Int64(exactly: number)
        case .string(let text): Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
        case .null, .boolean, .array, .object: nil
        }
    }

    private static func double(_ json: JSONValue) -> Double? {
        guard let text = json.string else { return json.double }
        switch text {
        case "NaN": return .nan
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        default:
            guard let number = Double(text), number.isFinite else { return nil }
            return number
        }
    }

    private static func choice(_ json: JSONValue, _ name: String) throws(HearthError) -> UInt64 {
        let names = ProtoSchema.choice(name)
        if let number = json.integer, let known = UInt64(exactly: number) {
            if names[known] == nil { throw invalid }
            return known
        }
        guard let text = json.string,
            let known = names.first(where: { utf8Equals($0.value, text) })
        else { throw invalid }
        return known.key
    }
}
