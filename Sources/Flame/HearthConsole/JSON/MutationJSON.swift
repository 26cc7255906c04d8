package import HearthModel

/// Writes to documents as JSON, in the form of Firestore's REST interface:
/// `{"update": {"name": "rooms/hall", "fields": {}}, "updateMask": {"fieldPaths": []}}`.
///
/// Each call that reads throws `HearthError` `invalidArgument` for JSON that describes no write.
package enum MutationJSON {
    /// Writes of one batch, as Firestore has it.
    private static let writeCountMax = 500

    /// A write as JSON, with the document's path as its name.
    package static func json(of mutation: Mutation) -> JSONValue {
        let path = JSONValue.string(mutation.key.path.string)
        var json: JSONValue
        switch mutation.kind {
        case .set(let fields): json = .members(["update": update(path, fields)])
        case .patch(let fields, let mask):
            json = .members([
                "update": update(path, fields),
                "updateMask": .members(["fieldPaths": .texts(mask.paths.map(\.description))]),
            ])
        case .delete: json = .members(["delete": path])
        case .verify: json = .members(["verify": path])
        }
        if !mutation.transforms.isEmpty {
            json = json.adding("updateTransforms", .array(mutation.transforms.map(json(of:))))
        }
        switch mutation.precondition {
        case .none: return json
        case .exists(let exists):
            return json.adding("currentDocument", .members(["exists": .boolean(exists)]))
        case .updateTime(let version):
            return json.adding(
                "currentDocument",
                .members(["updateTime": .string(version.timestamp.description)]))
        }
    }

    private static func update(_ path: JSONValue, _ fields: MapValue) -> JSONValue {
        .members(["name": path, "fields": ValueJSON.json(of: fields)])
    }

    private static func json(of transform: FieldTransform) -> JSONValue {
        let (name, value): (String, JSONValue) =
            switch transform.operation {
            case .serverTimestamp: ("setToServerValue", .string("REQUEST_TIME"))
            case .increment(let number): ("increment", ValueJSON.json(of: number))
            case .maximum(let number): ("maximum", ValueJSON.json(of: number))
            case .minimum(let number): ("minimum", ValueJSON.json(of: number))
            case .arrayUnion(let elements): ("appendMissingElements", list(elements))
            case .arrayRemove(let elements): ("removeAllFromArray", list(elements))
            }
        return .object([
            .init(name: "fieldPath", value: .string(transform.field.description)),
            .init(name: name, value: value),
        ])
    }

    private static func list(_ elements: [Value]) -> JSONValue {
        .members(["values": .array(elements.map(ValueJSON.json(of:)))])
    }

    /// The writes in a list.
    ///
    /// - Parameter database: The database that names of documents must be of.
    /// - Throws: `HearthError` `invalidArgument` for anything but 1 to 500 writes.
    package static func mutations(
        _ json: JSONValue?, in database: DatabaseID
    ) throws(HearthError) -> [Mutation] {
        guard let elements = json?.elements, (1...writeCountMax).contains(elements.count) else {
            throw .argument("\"writes\" is a list of 1 to \(writeCountMax) writes.")
        }
        var mutations: [Mutation] = []
        for element in elements { mutations.append(try mutation(element, in: database)) }
        return mutations
    }

    /// The write that an object describes.
    package static func mutation(
        _ json: JSONValue, in database: DatabaseID
    ) throws(HearthError) -> Mutation {
        let verbs = ["update", "delete", "verify"].filter { json[$0] != nil }
        guard verbs.count == 1, let verb = verbs.first, let subject = json[verb] else {
            throw .argument("A write has one of update, delete and verify.")
        }
        let name = verb == "update" ? subject["name"]?.string : subject.string
        let key = try key(name, in: database)
        let kind: Mutation.Kind
        switch verb {
        case "update": kind = try updateKind(subject, mask: json["updateMask"])
        case "delete": kind = .delete
        default: kind = .verify
        }
        return Mutation(
            key: key, kind: kind, precondition: try precondition(json["currentDocument"]),
            transforms: try transforms(json["updateTransforms"]))
    }

    /// A document by its path, or by its full name in the database.
    package static func key(
        _ name: String?, in database: DatabaseID
    ) throws(HearthError) -> DocumentKey {
        guard let name else { throw .argument("A write names a document by its path.") }
        if let full = DocumentName(name) {
            guard full.database == database, let key = full.key else {
                throw .argument("\(PathError.brief(name)) is no document of \(database).")
            }
            return key
        }
        do throws(PathError) {
            return try DocumentKey(parsing: name)
        } catch {
            throw .argument("\(error)")
        }
    }

    private static func updateKind(
        _ subject: JSONValue, mask: JSONValue?
    ) throws(HearthError) -> Mutation.Kind {
        let fields = try ValueJSON.fields(subject["fields"] ?? .object([]))
        guard let mask else { return .set(fields) }
        var paths: [FieldPath] = []
        for path in mask["fieldPaths"]?.elements ?? [] { paths.append(try field(path)) }
        return .patch(fields, FieldMask(paths))
    }

    /// A field by its path.
    package static func field(_ json: JSONValue?) throws(HearthError) -> FieldPath {
        guard let text = json?.string else { throw .argument("A field is named by its path.") }
        do throws(PathError) {
            return try FieldPath(canonical: text)
        } catch {
            throw .argument("\(error)")
        }
    }

    private static func precondition(_ json: JSONValue?) throws(HearthError) -> Precondition {
        guard let json else { return .none }
        if let exists = json["exists"]?.boolean, json["updateTime"] == nil {
            return .exists(exists)
        }
        if let time = json["updateTime"]?.string.flatMap({ Timestamp($0) }), json["exists"] == nil {
            return .updateTime(SnapshotVersion(time))
        }
        throw .argument("currentDocument has exists, or updateTime.")
    }

    private static func transforms(_ json: JSONValue?) throws(HearthError) -> [FieldTransform] {
        var transforms: [FieldTransform] = []
        for element in json?.elements ?? [] {
            transforms.append(
                FieldTransform(
                    field: try field(element["fieldPath"]), operation: try operation(element)))
        }
        return transforms
    }

    private static func operation(
        _ json: JSONValue
    ) throws(HearthError) -> FieldTransform.Operation {
        let members = json.members?.filter { $0.name != "fieldPath" } ?? []
        guard members.count == 1, let member = members.first else {
            throw .argument("A transform has fieldPath and one order.")
        }
        switch member.name {
        case "setToServerValue" where member.value.string == "REQUEST_TIME": return .serverTimestamp
        case "increment": return .increment(try number(member.value))
        case "maximum": return .maximum(try number(member.value))
        case "minimum": return .minimum(try number(member.value))
        case "appendMissingElements": return .arrayUnion(try elements(member.value))
        case "removeAllFromArray": return .arrayRemove(try elements(member.value))
        default: throw .argument("A transform has no \(member.name.prefix(40)).")
        }
    }

    private static func number(_ json: JSONValue) throws(HearthError) -> Value {
        let value = try ValueJSON.value(json)
        guard value.isNumber else { throw .argument("A field can only be counted with a number.") }
        return value
    }

    private static func elements(_ json: JSONValue) throws(HearthError) -> [Value] {
        let value = try ValueJSON.value(.members(["arrayValue": json]))
        return value.arrayElements ?? []
    }
}
