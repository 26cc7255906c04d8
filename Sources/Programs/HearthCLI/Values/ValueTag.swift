import Hearth

/// The names of values that JSON lacks: `name(...)` on a command line, `{"$name": ...}` in JSON.
///
///     timestamp "2026-01-02T03:04:05.123456Z"   bytes "BASE64"       ref "rooms/hall"
///     geo       [52.5, 13.4]                    vector [1, 2]        double "NaN"
///     map       {"$price": 1}     a map that itself looks like a tag
///     delete    true                            serverTimestamp true
///     increment 5    maximum 5    minimum 5     arrayUnion [...]     arrayRemove [...]
enum ValueTag {
    /// What is wrong with a tagged form.
    struct Problem: Error {
        let reason: String
    }

    /// The meaning of a map: the map itself, or a tagged value if the only name starts with `$`.
    ///
    /// The map in a `$map` is taken as it stands.
    static func resolve(_ value: ValueLiteral) throws(Problem) -> ValueLiteral {
        guard let fields = value.fields, let field = fields.first, fields.count == 1,
            field.name.utf8.first == UInt8(ascii: "$")
        else { return value }
        let name = String(decoding: field.name.utf8.dropFirst(), as: UTF8.self)
        if name == "map" {
            guard case .map = field.value else { throw wrong(name, "a map", field.value) }
            return field.value
        }
        return try self.value(name, field.value)
    }

    /// The value of a tag.
    static func value(_ name: String, _ argument: ValueLiteral) throws(Problem) -> ValueLiteral {
        switch name {
        case "timestamp": return .timestamp(try timestamp(argument))
        case "bytes": return .bytes(try bytes(argument))
        case "ref": return .reference(try path(argument))
        case "geo": return .geoPoint(try geoPoint(argument))
        case "vector": return .vector(try numbers(name, argument))
        case "double": return .double(try double(argument))
        default: return .order(try order(name, argument))
        }
    }

    private static func order(
        _ name: String, _ argument: ValueLiteral
    ) throws(Problem) -> ValueLiteral.Order {
        switch name {
        case "delete", "serverTimestamp":
            guard argument == .boolean(true) else { throw wrong(name, "true", argument) }
            return name == "delete" ? .delete : .serverTimestamp
        case "increment": return .increment(try operand(name, argument))
        case "maximum": return .maximum(try operand(name, argument))
        case "minimum": return .minimum(try operand(name, argument))
        case "arrayUnion": return .arrayUnion(try elements(name, argument))
        case "arrayRemove": return .arrayRemove(try elements(name, argument))
        default:
            throw Problem(
                reason:
                    "there is no tag \"$\(name)\"; write {\"$map\": {...}} for a map with such a "
                    + "name")
        }
    }

    private static func timestamp(_ argument: ValueLiteral) throws(Problem) -> Timestamp {
        guard case .string(let text) = argument else { throw wrong("timestamp", "text", argument) }
        guard let time = Timestamp(text) else {
            throw Problem(
                reason: "\"\(text)\" is no time; write it like 2026-01-02T03:04:05.678Z, in the "
                    + "years 1 to 9999")
        }
        return time
    }

    private static func bytes(_ argument: ValueLiteral) throws(Problem) -> [UInt8] {
        guard case .string(let text) = argument else { throw wrong("bytes", "Base64", argument) }
        guard let bytes = Base64.decode(text) else {
            throw Problem(reason: "\"\(text)\" is no Base64")
        }
        return bytes
    }

    private static func path(_ argument: ValueLiteral) throws(Problem) -> String {
        guard case .string(let text) = argument else { throw wrong("ref", "a path", argument) }
        guard let path = PathText(text), path.isDocument || path.isFullName else {
            throw Problem(
                reason:
                    "\"\(text)\" names no document; write a path like rooms/hall, or of another "
                    + "database projects/P/databases/D/documents/rooms/hall")
        }
        return text
    }

    private static func geoPoint(_ argument: ValueLiteral) throws(Problem) -> GeoPoint {
        let parts = try numbers("geo", argument)
        guard parts.count == 2 else {
            throw Problem(reason: "a geo point has a latitude and a longitude")
        }
        guard (-90...90).contains(parts[0]), (-180...180).contains(parts[1]) else {
            throw Problem(
                reason: "\(parts[0]), \(parts[1]) is no point on the globe: latitudes end at 90, "
                    + "longitudes at 180 degrees")
        }
        return GeoPoint(latitude: parts[0], longitude: parts[1])
    }

    private static func numbers(
        _ name: String, _ argument: ValueLiteral
    ) throws(Problem) -> [Double] {
        guard let elements = argument.elements else { throw wrong(name, "numbers", argument) }
        var numbers: [Double] = []
        for element in elements {
            numbers.append(try double(element))
        }
        return numbers
    }

    private static func double(_ argument: ValueLiteral) throws(Problem) -> Double {
        switch argument {
        case .string("NaN"): return .nan
        case .string("Infinity"): return .infinity
        case .string("-Infinity"): return -.infinity
        default:
            guard let number = argument.number else { throw wrong("double", "a number", argument) }
            return number
        }
    }

    private static func operand(
        _ name: String, _ argument: ValueLiteral
    ) throws(Problem) -> ValueLiteral.Operand {
        guard let operand = argument.operand else { throw wrong(name, "a number", argument) }
        return operand
    }

    private static func elements(
        _ name: String, _ argument: ValueLiteral
    ) throws(Problem) -> [ValueLiteral] {
        guard let elements = argument.elements else { throw wrong(name, "an array", argument) }
        return elements
    }

    private static func wrong(
        _ name: String, _ wanted: String, _ argument: ValueLiteral
    ) -> Problem {
        Problem(reason: "\"\(name)\" takes \(wanted), not \(argument.kind)")
    }
}
