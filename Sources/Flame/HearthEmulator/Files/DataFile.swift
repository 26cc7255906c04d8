import HearthModel
import HearthProtocol

/// Documents as a file: to seed an emulator, to read, or to carry elsewhere.
///
/// `read` accepts three shapes, and tells them apart by their beginning:
///
///     {"documents": [{"name": "projects/P/databases/D/documents/c/a", "fields": {...}}]}
///     {"c/a": {"n": 1, "tags": ["x"]}}     plain JSON by path, for people
///     123{"metadata": ...}                 a bundle
///
/// The emulator writes the first and the last shape.
enum DataFile {
    /// The formats that the emulator writes.
    enum Format: String, Sendable {
        /// Documents as REST shows them.
        case json
        /// A bundle, as clients load it.
        case bundle
    }

    /// Documents of one database.
    struct Content {
        let database: DatabaseID
        var documents: [(key: DocumentKey, fields: MapValue)]
    }

    /// Reads a file.
    ///
    /// - Parameter database: The database for paths that name no database.
    /// - Throws: `invalidArgument`; the message says which part of the file is wrong.
    static func read(
        _ bytes: [UInt8], database: DatabaseID
    ) throws(HearthError) -> [Content] {
        if let first = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) {
            return try gathered(try bundled(bytes), database)
        }
        let json = try json(bytes)
        guard let members = json.members else { throw .argument("The file holds no object.") }
        if let documents = json["documents"]?.elements, members.count == 1 {
            return try gathered(documents, database)
        }
        var content = Content(database: database, documents: [])
        for member in members {
            guard let fields = Value(plain: member.value), case .map(let map) = fields else {
                throw .argument("\"\(member.name)\" is no object of fields.")
            }
            content.documents.append((try key(member.name), map))
        }
        return [content]
    }

    /// Writes documents as JSON.
    ///
    /// - Throws: `internalError` for a document that has no form on the wire.
    static func json(of contents: [(DatabaseID, [Document])]) throws(HearthError) -> [UInt8] {
        var text = JSONText()
        text.beginObject()
        text.name("documents")
        text.beginArray()
        for (database, documents) in contents {
            let codec = FirestoreCodec(database: database)
            for document in documents {
                let bytes: [UInt8]
                do throws(CodecError) {
                    bytes = try codec.documentBytes(document)
                } catch {
                    throw HearthError(code: .internalError, message: "\(error)")
                }
                text.value(try ProtoToJSON.json(of: bytes, as: "Document"))
            }
        }
        text.endArray()
        text.endObject()
        return text.bytes
    }

    /// Writes the documents of a database as a bundle.
    static func bundle(
        of documents: [Document], in database: DatabaseID, id: String, readAt: SnapshotVersion
    ) -> [UInt8] {
        var writer = BundleWriter(id: id, createdAt: readAt, database: database)
        for document in documents {
            var document = document
            document.readAt = readAt
            writer.add(document)
        }
        return writer.bytes
    }

    /// The documents of a bundle, as JSON.
    private static func bundled(_ bytes: [UInt8]) throws(HearthError) -> [JSONValue] {
        var documents: [JSONValue] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var count = 0
            while let digit = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
                count = count * 10 + Int(digit - UInt8(ascii: "0"))
                guard count <= bytes.count else { throw .argument("The bundle is cut short.") }
                rest.removeFirst()
            }
            guard count > 0, count <= rest.count else {
                throw .argument("The bundle is cut short.")
            }
            let element = try json(Array(rest.prefix(count)))
            if let document = element["document"] { documents.append(document) }
            rest = rest.dropFirst(count)
        }
        return documents
    }

    private static func gathered(
        _ documents: [JSONValue], _ database: DatabaseID
    ) throws(HearthError) -> [Content] {
        var contents: [Content] = []
        var places: [DatabaseID: Int] = [:]
        for json in documents {
            guard let name = json["name"]?.string else {
                throw .argument("A document has no name.")
            }
            let isWhole = name.utf8.starts(with: "projects/".utf8)
            let (owner, key) =
                isWhole
                ? try NameReader.document(name) : (database, try key(name))
            let bytes = try JSONToProto.bytes(of: json, as: "Document")
            let fields: MapValue
            do throws(CodecError) {
                fields = try FirestoreCodec(database: owner).document(
                    fromBytes: bytes, key: key
                ).fields
            } catch {
                throw .argument("\(name): \(error)")
            }
            if places[owner] == nil {
                places[owner] = contents.count
                contents.append(Content(database: owner, documents: []))
            }
            if let place = places[owner] { contents[place].documents.append((key, fields)) }
        }
        return contents
    }

    private static func key(_ path: String) throws(HearthError) -> DocumentKey {
        guard let path = try? ResourcePath(parsing: path), let key = DocumentKey(path) else {
            throw .argument("\"\(path)\" is no document's path.")
        }
        return key
    }

    private static func json(_ bytes: [UInt8]) throws(HearthError) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.read(bytes)
        } catch {
            throw .argument(error.description)
        }
    }
}

extension Value {
    /// The value of plain JSON; `nil` for an array directly inside another array.
    fileprivate init?(plain json: JSONValue) {
        switch json {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .string(let text): self = .string(text)
        case .array(let elements):
            let values = elements.compactMap { $0.elements == nil ? Value(plain: $0) : nil }
            guard values.count == elements.count else { return nil }
            self = .array(values)
        case .object(let members):
            var entries: [MapValue.Entry] = []
            for member in members {
                guard let value = Value(plain: member.value) else { return nil }
                entries.append(MapValue.Entry(key: member.name, value: value))
            }
            self = .map(MapValue(entries: entries))
        }
    }
}
