/// A document of a named database, as a reference value holds it.
package struct DocumentName: Hashable, Sendable, CustomStringConvertible {
    /// The database, which may be another than the one the reference is stored in.
    package let database: DatabaseID
    /// The path below `documents`: a document's, unless it was read from a wrong request.
    package let path: ResourcePath

    /// Names `path` in `database`.
    package init(database: DatabaseID, path: ResourcePath) {
        self.database = database
        self.path = path
    }

    /// Names the document `key` in `database`.
    package init(database: DatabaseID, key: DocumentKey) {
        self.init(database: database, path: key.path)
    }

    /// Reads `projects/P/databases/D/documents/...`; `nil` for anything else.
    package init?(_ name: String) {
        var rest = name.utf8[...]
        func next() -> Substring.UTF8View {
            let segment = rest.prefix { $0 != UInt8(ascii: "/") }
            rest = rest[segment.endIndex...].dropFirst()
            return segment
        }
        guard next().elementsEqual("projects".utf8), case let project = next(), !project.isEmpty,
            next().elementsEqual("databases".utf8), case let database = next(), !database.isEmpty,
            next().elementsEqual("documents".utf8), name.utf8.last != UInt8(ascii: "/"),
            rest.first != UInt8(ascii: "/"),
            let path = try? ResourcePath(parsing: String(Substring(rest)))
        else { return nil }
        self.database = DatabaseID(
            project: String(Substring(project)), database: String(Substring(database)))
        self.path = path
    }

    /// The key, if the path is a document's.
    package var key: DocumentKey? { DocumentKey(path) }

    /// The full name.
    package var description: String {
        path.isEmpty ? database.documentsName : "\(database.documentsName)/\(path.string)"
    }

    /// Orders by project, database and path, numeric ids first as in the order of keys.
    ///
    /// The SDKs order the path's segments as plain strings. The backend does not, and a cache that
    /// sorts otherwise than the backend shows the wrong end of a limited query.
    package func compare(to other: DocumentName) -> Int {
        if database != other.database {
            let order = utf8Compare(database.project, other.database.project)
            return order != 0 ? order : utf8Compare(database.database, other.database.database)
        }
        return path.compare(to: other.path)
    }
}
