package import HearthModel

/// Firestore's values as JSON, in the form of Firestore's REST interface: `{"integerValue": "40"}`.
///
/// Nothing is lost: whole numbers are text, and so are doubles that JSON cannot write.
package enum ValueJSON {
    /// How deep maps and arrays may lie in each other; a document may nest 20 deep.
    private static let depthMax = 24

    /// A value as JSON. A server timestamp that the backend has not set shows its estimate.
    package static func json(of value: Value) -> JSONValue {
        switch value {
        case .null: .members(["nullValue": .null])
        case .boolean(let flag): .members(["booleanValue": .boolean(flag)])
        case .integer(let number): .members(["integerValue": .string("\(number)")])
        case .double(let number): .members(["doubleValue": json(of: number)])
        case .timestamp(let time): .members(["timestampValue": .string(time.description)])
        case .serverTimestamp(let pending):
            .members([
                "timestampValue": .string(pending.localWriteTime.description),
                "isEstimate": .boolean(true),
            ])
        case .string(let text): .members(["stringValue": .string(text)])
        case .bytes(let bytes): .members(["bytesValue": .string(Base64.encode(bytes))])
        case .reference(let name): .members(["referenceValue": .string(name.description)])
        case .geoPoint(let point):
            .members([
                "geoPointValue": .members([
                    "latitude": json(of: point.latitude), "longitude": json(of: point.longitude),
                ])
            ])
        case .array(let elements):
            .members(["arrayValue": .members(["values": .array(elements.map(json(of:)))])])
        case .map(let map): .members(["mapValue": .members(["fields": json(of: map)])])
        }
    }

    /// The fields of a document or of a map.
    package static func json(of map: MapValue) -> JSONValue {
        .object(map.entries.map { JSONValue.Member(name: $0.key, value: json(of: $0.value)) })
    }

    private static func json(of number: Double) -> JSONValue {
        if number.isNaN { return .string("NaN") }
        if number.isInfinite { return .string(number < 0 ? "-Infinity" : "Infinity") }
        return number == 0 && number.sign == .minus ? .string("-0") : .double(number)
    }

    /// The fields that an object names.
    ///
    /// - Throws: `HearthError` `invalidArgument` with the field that cannot be read.
    package static func fields(_ json: JSONValue) throws(HearthError) -> MapValue {
        try fields(json, depth: 0)
    }

    /// The value that an object describes.
    ///
    /// - Throws: `HearthError` `invalidArgument` for anything but one value of Firestore.
    package static func value(_ json: JSONValue) throws(HearthError) -> Value {
        try value(json, depth: 0)
    }

    private static func fields(_ json: JSONValue, depth: Int) throws(HearthError) -> MapValue {
        guard let members = json.members else { throw .argument("Fields are an object.") }
        var entries: [MapValue.Entry] = []
        for member in members {
            guard !member.name.isEmpty else { throw .argument("A field's name is empty.") }
            do throws(HearthError) {
                entries.append(
                    MapValue.Entry(key: member.name, value: try value(member.value, depth: depth)))
            } catch {
                throw .argument("\(PathError.brief(member.name)): \(error.message)")
            }
        }
        return MapValue(entries: entries)
    }

    private static func value(_ json: JSONValue, depth: Int) throws(HearthError) -> Value {
        guard depth <= depthMax else {
            throw .argument("Maps and arrays lie more than \(depthMax) deep in each other.")
        }
        let members = json.members?.filter { $0.name != "isEstimate" } ?? []
        guard members.count == 1, let member = members.first else {
            throw .argument("A value is an object with one member, such as stringValue.")
        }
        guard let value = try value(member.name, member.value, depth: depth) else {
            throw .argument("\(member.name.prefix(40)) cannot hold what it holds, or is no type.")
        }
        return value
    }

    /// The value of a type; `nil` if the type is unknown, or the content is none of it.
    private static func value(
        _ type: String, _ json: JSONValue, depth: Int
    ) throws(HearthError) -> Value? {
        switch type {
        case "nullValue": return json == .null ? .null : nil
        case "booleanValue": return json.boolean.map { .boolean($0) }
        case "integerValue": return integer(json).map { .integer($0) }
        case "doubleValue": return double(json).map { .double($0) }
        case "timestampValue":
            return json.string.flatMap { Timestamp($0) }.map {
                .timestamp($0.flooredToMicroseconds)
            }
        case "stringValue": return json.string.map { .string($0) }
        case "bytesValue": return json.string.flatMap(Base64.decodeStandard).map { .bytes($0) }
        case "referenceValue":
            return json.string.flatMap { DocumentName($0) }.map { .reference($0) }
        case "geoPointValue": return point(json).map { .geoPoint($0) }
        case "arrayValue": return .array(try elements(json, depth: depth + 1))
        case "mapValue":
            return .map(try fields(json["fields"] ?? .object([]), depth: depth + 1))
        default: return nil
        }
    }

    private static func elements(_ json: JSONValue, depth: Int) throws(HearthError) -> [Value] {
        guard json.members != nil else { throw .argument("An arrayValue is an object.") }
        var values: [Value] = []
        for element in json["values"]?.elements ?? [] {
            let value = try value(element, depth: depth)
            if case .array = value { throw .argument("An array cannot hold an array.") }
            values.append(value)
        }
        return values
    }

    private static func integer(_ json: JSONValue) -> Int64? {
        json.integer ?? json.string.flatMap { Int64($0) }
    }

    private static func double(_ json: JSONValue) -> Double? {
        if let number = json.double { return number }
        switch json.string {
        case "NaN": return .nan
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        case "-0": return -0.0
        default: return nil
        }
    }

    private static func point(_ json: JSONValue) -> GeoPoint? {
        guard let latitude = double(json["latitude"] ?? .integer(0)),
            let longitude = double(json["longitude"] ?? .integer(0))
        else { return nil }
        let point = GeoPoint(latitude: latitude, longitude: longitude)
        return point.isValid ? point : nil
    }
}
