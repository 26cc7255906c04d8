/// The path of a document: an even, non-zero number of segments.
package struct DocumentKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The document's path below `documents`.
    package let path: ResourcePath

    /// Returns `nil` unless `path` has the shape of a document's.
    package init?(_ path: ResourcePath) {
        guard path.count > 0, path.count.isMultiple(of: 2) else { return nil }
        self.path = path
    }

    /// Reads a user's path to a document.
    ///
    /// - Throws: `PathError` for a path that cannot be read, or that leads to a collection.
    package init(parsing text: String) throws(PathError) {
        let path = try ResourcePath(parsing: text)
        guard let key = DocumentKey(path) else {
            throw .wrongSegmentCount(path: text, count: path.count)
        }
        self = key
    }

    /// The collection that holds the document.
    package var collection: ResourcePath { path.parent }

    /// The last segment of `collection`.
    package var collectionGroup: String { path.beforeLast }

    /// The last segment.
    package var documentID: String { path.last }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.path < rhs.path }

    /// Orders two keys: negative, zero or positive.
    package func compare(to other: DocumentKey) -> Int { path.compare(to: other.path) }

    package var description: String { path.string }
}

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
