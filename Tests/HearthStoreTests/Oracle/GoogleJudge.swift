import HearthTestSupport

@testable import HearthModel

/// Google's emulator as one who answers queries, asked by REST over one connection.
struct GoogleJudge {
    private static let caller = ["authorization: Bearer owner"]

    private let connection: HTTPConnection
    private let json: BundleValues
    private let root: String

    /// Asks the emulator at `HOST:PORT` about a database.
    init(_ address: String, database: DatabaseID) throws {
        connection = try HTTPConnection(to: address)
        json = BundleValues(database: database)
        root = "\(database.name)/documents"
    }

    /// What it said instead of an answer.
    struct Refusal: Error, CustomStringConvertible {
        let status: Int
        let description: String
    }

    /// Removes all documents.
    func clear() throws {
        _ = try call("DELETE", "/emulator/v1/\(root)", .object([]))
    }

    /// Writes one document.
    func set(_ key: DocumentKey, to fields: MapValue) throws {
        let document = JSONValue.object([
            "name": json.name(key.path), "fields": json.fields(fields),
        ])
        _ = try call(
            "POST", "/v1/\(root):commit",
            .object(["writes": .array([.object(["update": document])])]))
    }

    /// Runs a query and tells the names of the documents found, in order.
    func run(_ query: StructuredQuery) throws -> [DocumentKey] {
        let parent = query.parent.isEmpty ? "" : "/" + Self.escaped(query.parent.description)
        let answer = try call(
            "POST", "/v1/\(root)\(parent):runQuery",
            .object(["structuredQuery": json.query(query)]))
        guard let elements = answer.elements else {
            throw Refusal(status: 200, description: "no array: \(answer)")
        }
        return try elements.compactMap { element in
            guard let name = element["document"]?["name"]?.string else { return nil }
            return try DocumentKey(parsing: String(name.dropFirst(root.count + 1)))
        }
    }

    private func call(_ method: String, _ path: String, _ body: JSONValue) throws -> JSONValue {
        let answer = try connection.send(
            method, path, headers: Self.caller,
            body: String(decoding: JSONWriter.bytes(of: body), as: UTF8.self))
        guard answer.status == 200 else {
            let said = try? JSONReader.read(answer.body)["error"]?["message"]?.string
            throw Refusal(status: answer.status, description: said ?? answer.text)
        }
        return try JSONReader.read(answer.body)
    }

    /// A path with all but letters, digits and slashes percent-encoded.
    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 128 && (character.isLetter || character.isNumber || byte == 47)
            let digits = String(byte, radix: 16)
            return isPlain ? String(character) : "%\(byte < 16 ? "0" : "")\(digits)"
        }.joined()
    }
}
