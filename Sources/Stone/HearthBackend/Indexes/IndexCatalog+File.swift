package import HearthModel

/// Reads a file of declared indexes.
extension IndexCatalog {
    /// Reads the form of `firestore.indexes.json`.
    ///
    /// Shape: {"indexes": [{collectionGroup, queryScope, fields: [{fieldPath, order | arrayConfig |
    /// vectorConfig}]}], "fieldOverrides": [{collectionGroup, fieldPath, indexes: [{order |
    /// arrayConfig, queryScope}]}]}. A scope that is left out is `COLLECTION`.
    ///
    /// - Throws: `HearthError` `invalidArgument` that says where the file is wrong.
    package init(file bytes: [UInt8]) throws(HearthError) {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.read(bytes)
        } catch {
            throw .argument("The file of indexes cannot be read. \(error)")
        }
        guard json.members != nil else {
            throw .argument("The file of indexes holds no JSON object.")
        }
        var composites: [IndexDefinition] = []
        for (place, element) in try Self.list(json, "indexes").enumerated() {
            composites.append(try Self.composite(element, at: "indexes[\(place)]"))
        }
        var exemptions: [Exemption] = []
        for (place, element) in try Self.list(json, "fieldOverrides").enumerated() {
            exemptions.append(try Self.exemption(element, at: "fieldOverrides[\(place)]"))
        }
        self.init(composites: composites, exemptions: exemptions)
    }

    private static func composite(
        _ json: JSONValue, at place: String
    ) throws(HearthError) -> IndexDefinition {
        var fields: [IndexDefinition.Field] = []
        for (number, element) in try list(json, "fields").enumerated() {
            let here = "\(place).fields[\(number)]"
            fields.append(.init(try path(element, at: here), try kind(element, at: here)))
        }
        guard !fields.isEmpty else {
            throw .argument("The file of indexes has no fields at \(place).")
        }
        return IndexDefinition(
            collectionID: try collectionID(json, at: place), scope: try scope(json, at: place),
            fields: fields)
    }

    private static func exemption(
        _ json: JSONValue, at place: String
    ) throws(HearthError) -> Exemption {
        var indexes: [Exemption.Index] = []
        for (number, element) in try list(json, "indexes").enumerated() {
            let here = "\(place).indexes[\(number)]"
            indexes.append(
                .init(kind: try kind(element, at: here), scope: try scope(element, at: here)))
        }
        return Exemption(
            collectionID: try collectionID(json, at: place),
            path: json["fieldPath"]?.string == "*" ? .empty : try path(json, at: place),
            indexes: indexes)
    }

    private static func list(
        _ json: JSONValue, _ name: String
    ) throws(HearthError) -> [JSONValue] {
        guard let member = json[name] else { return [] }
        guard let elements = member.elements else {
            throw .argument("The file of indexes has a \"\(name)\" that is no list.")
        }
        return elements
    }

    private static func collectionID(
        _ json: JSONValue, at place: String
    ) throws(HearthError) -> UTF8Text {
        guard let id = json["collectionGroup"]?.string, !id.isEmpty else {
            throw .argument("The file of indexes has no \"collectionGroup\" at \(place).")
        }
        return UTF8Text(id)
    }

    private static func path(
        _ json: JSONValue, at place: String
    ) throws(HearthError) -> FieldPath {
        guard let text = json["fieldPath"]?.string, let path = try? FieldPath(canonical: text)
        else {
            throw .argument("The file of indexes has no right \"fieldPath\" at \(place).")
        }
        return path
    }

    private static func scope(
        _ json: JSONValue, at place: String
    ) throws(HearthError) -> IndexDefinition.Scope {
        guard let member = json["queryScope"] else { return .collection }
        guard let scope = member.string.flatMap(IndexDefinition.Scope.init) else {
            throw .argument(
                "The file of indexes has a \"queryScope\" at \(place) that is neither COLLECTION "
                    + "nor COLLECTION_GROUP.")
        }
        return scope
    }

    private static func kind(
        _ json: JSONValue, at place: String
    ) throws(HearthError) -> IndexDefinition.Kind {
        // An older form of the file says "mode" for all of these.
        switch json["order"]?.string ?? json["arrayConfig"]?.string ?? json["mode"]?.string {
        case "ASCENDING": return .ascending
        case "DESCENDING": return .descending
        case "CONTAINS", "ARRAY_CONTAINS": return .contains
        default: break
        }
        if let dimension = json["vectorConfig"]?["dimension"] {
            let count = dimension.integer ?? dimension.string.flatMap { Int64($0) } ?? 0
            if (1...Int64(ValueRules.vectorCountMax)).contains(count) {
                return .vector(Int(count))
            }
        }
        throw .argument(
            "The file of indexes has neither a right \"order\" nor \"arrayConfig\" nor "
                + "\"vectorConfig\" at \(place).")
    }
}
