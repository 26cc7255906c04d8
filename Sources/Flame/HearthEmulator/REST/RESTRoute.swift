import HearthModel
import HearthProtocol
import HearthRPC

/// The method and the request message that a REST request calls.
///
/// - Source: backend-surface of `google.firestore.v1`'s HTTP rules; `/v1beta1` is the same as `/v1`.
struct RESTRoute: Equatable {
    /// The called method.
    let method: FirestoreMethod
    /// The request, as JSON of its message.
    let request: JSONValue

    /// The name of the request's message.
    var requestName: String { "\(method.rawValue)Request" }

    /// The name of the answer's message.
    var answerName: String {
        switch method {
        case .getDocument, .createDocument, .updateDocument: "Document"
        case .deleteDocument, .rollback: "Empty"
        case .listDocuments, .batchGetDocuments, .beginTransaction, .commit, .runQuery,
            .executePipeline, .runAggregationQuery, .partitionQuery, .write, .listen,
            .listCollectionIds, .batchWrite:
            "\(method.rawValue)Response"
        }
    }

    /// Reads a request.
    ///
    /// - Parameter body: The bytes of the body; an empty body counts as an empty object.
    /// - Returns: `nil` if the path and verb name no method.
    /// - Throws: `invalidArgument` for a body that is no JSON.
    init?(verb: String, target: HTTPTarget, body: [UInt8]) throws(HearthError) {
        guard let version = target.segments.first, version == "v1" || version == "v1beta1",
            target.segments.count >= 6, target.segments[1] == "projects",
            target.segments[3] == "databases"
        else { return nil }
        let segments = Array(target.segments.dropFirst())
        let database = segments[..<4].joined(separator: "/")
        guard let found = try Self.find(verb, database, segments, body) else { return nil }
        method = found.method
        request = Self.adding(
            target.parameters, to: found.request, as: .named("\(found.method.rawValue)Request"))
    }

    private typealias Found = (method: FirestoreMethod, request: JSONValue)

    private static func find(
        _ verb: String, _ database: String, _ segments: [String], _ body: [UInt8]
    ) throws(HearthError) -> Found? {
        let name = segments.joined(separator: "/")
        // The number of parts below `documents`; a document has an even number. DELETE and PATCH
        // can only mean a document, and POST only a collection, so the method itself refuses a name
        // of the other kind.
        let depth = segments.count - 5
        let isRoot = segments[4] == "documents"
        let parent = JSONValue.string(segments.dropLast().joined(separator: "/"))
        let collection = JSONValue.string(segments.last ?? "")
        switch verb {
        case "GET" where isRoot && depth > 0 && depth.isMultiple(of: 2):
            return (.getDocument, .object([.init(name: "name", value: .string(name))]))
        case "GET" where isRoot && !depth.isMultiple(of: 2):
            return (
                .listDocuments,
                .object([
                    .init(name: "parent", value: parent),
                    .init(name: "collectionId", value: collection),
                ])
            )
        case "DELETE" where isRoot && depth > 0:
            return (.deleteDocument, .object([.init(name: "name", value: .string(name))]))
        case "PATCH" where isRoot && depth > 0:
            var members = try object(body).filter { !utf8Equals($0.name, "name") }
            members.append(.init(name: "name", value: .string(name)))
            return (.updateDocument, .object([.init(name: "document", value: .object(members))]))
        case "POST":
            if let call = try custom(database, segments, body) { return call }
            guard isRoot, depth > 0 else { return nil }
            return (
                .createDocument,
                .object([
                    .init(name: "parent", value: parent),
                    .init(name: "collectionId", value: collection),
                    .init(name: "document", value: .object(try object(body))),
                ])
            )
        default:
            return nil
        }
    }

    /// Finds methods that the path names behind a colon.
    private static func custom(
        _ database: String, _ segments: [String], _ body: [UInt8]
    ) throws(HearthError) -> Found? {
        guard let last = segments.last, let colon = last.utf8LastIndex(of: ":") else { return nil }
        let word = last[last.utf8.index(after: colon)...]
        let base = (segments.dropLast() + [String(last[..<colon])])
        guard base[4] == "documents" else { return nil }
        let isRoot = base.count == 5
        let method: FirestoreMethod
        switch word {
        case "commit" where isRoot: method = .commit
        case "batchGet" where isRoot: method = .batchGetDocuments
        case "batchWrite" where isRoot: method = .batchWrite
        case "beginTransaction" where isRoot: method = .beginTransaction
        case "rollback" where isRoot: method = .rollback
        case "executePipeline" where isRoot: method = .executePipeline
        case "runQuery": method = .runQuery
        case "runAggregationQuery": method = .runAggregationQuery
        case "partitionQuery": method = .partitionQuery
        case "listCollectionIds": method = .listCollectionIds
        default: return nil
        }
        let field =
            ProtoSchema.named("\(method.rawValue)Request").field("parent") == nil
            ? "database" : "parent"
        let value = field == "parent" ? base.joined(separator: "/") : database
        var members = try object(body).filter { !utf8Equals($0.name, field) }
        members.append(.init(name: field, value: .string(value)))
        return (method, .object(members))
    }

    private static func object(_ body: [UInt8]) throws(HearthError) -> [JSONValue.Member] {
        if body.isEmpty { return [] }
        do throws(JSONError) {
            guard let members = try JSONReader.read(body).members else {
                throw JSONError(offset: 0, reason: "it is no object")
            }
            return members
        } catch {
            throw JSONToProto.invalid
        }
    }

    /// Sets the fields that parameters name, and ignores other parameters.
    private static func adding(
        _ parameters: [HTTPTarget.Parameter], to request: JSONValue, as schema: ProtoSchema
    ) -> JSONValue {
        parameters.reduce(request) { request, parameter in
            let path = parameter.name.split(separator: ".").map(String.init)
            return setting(path[...], parameter.value, in: request, as: schema)
        }
    }

    private static func setting(
        _ path: ArraySlice<String>, _ value: String, in json: JSONValue, as schema: ProtoSchema
    ) -> JSONValue {
        guard let name = path.first, let field = schema.field(name), var members = json.members
        else { return json }
        let place = members.firstIndex { utf8Equals($0.name, field.name) }
        let old = place.map { members[$0].value }
        let new: JSONValue
        switch field.kind {
        case .message(let message) where path.count > 1:
            new = setting(
                path.dropFirst(), value, in: old ?? .object([]), as: .named(message))
        case .boolean: new = .boolean(value == "true")
        case .message, .values, .labels, .object, .null: return json
        case .int32, .int64, .double, .string, .bytes, .timestamp, .duration, .wrapped, .choice:
            new =
                field.isRepeated
                ? .array((old?.elements ?? []) + [.string(value)]) : .string(value)
        }
        let member = JSONValue.Member(name: field.name, value: new)
        if let place { members[place] = member } else { members.append(member) }
        return .object(members)
    }
}
