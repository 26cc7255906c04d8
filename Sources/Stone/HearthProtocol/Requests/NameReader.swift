package import HearthModel

/// Reads names by the backend's rules.
///
/// Refuses wrong names with the backend's messages, as `invalidArgument`.
package enum NameReader {
    /// Reads `projects/P/databases/D`.
    package static func database(_ name: String) throws(HearthError) -> DatabaseID {
        let parts = try parts(of: name, "Database name", fixed: ["projects", "databases"])
        guard parts.rest.isEmpty else {
            throw .argument("Database name \"\(name)\" has more than a project and a database.")
        }
        return parts.database
    }

    /// Reads the full name of a document.
    package static func document(
        _ name: String
    ) throws(HearthError) -> (DatabaseID, DocumentKey) {
        let (database, path) = try path(name, "Document name")
        guard let key = DocumentKey(path) else {
            throw unfinished(name, "Document name")
        }
        return (database, key)
    }

    /// Reads the full name of a document of one database.
    package static func document(
        _ name: String, in database: DatabaseID
    ) throws(HearthError) -> DocumentKey {
        if let key = wellKnown(name, in: database) { return key }
        let (found, key) = try document(name)
        guard found == database else {
            throw .argument(
                "Document name \"\(name)\" is not of the request's database \(database).")
        }
        return key
    }

    /// Reads a name as nearly all are, without taking it apart; `nil` says that there is more to say.
    private static func wellKnown(_ name: String, in database: DatabaseID) -> DocumentKey? {
        guard name.utf8.count <= byteCountMax else { return nil }
        var rest = name.utf8[...]
        let (project, id) = (database.project, database.database)
        for part in ["projects/", project, "/databases/", id, "/documents/"] {
            guard rest.starts(with: part.utf8) else { return nil }
            rest = rest.dropFirst(part.utf8.count)
        }
        let slash = UInt8(ascii: "/")
        guard rest.first != slash, rest.last != slash,
            let path = try? ResourcePath(parsing: String(Substring(rest)))
        else { return nil }
        return DocumentKey(path)
    }

    /// Reads the full name of a parent: a document, or the root of a database.
    package static func parent(_ name: String) throws(HearthError) -> (DatabaseID, ResourcePath) {
        let (database, path) = try path(name, "Document parent name")
        guard path.count.isMultiple(of: 2) else {
            throw unfinished(name, "Document parent name")
        }
        return (database, path)
    }

    /// Reads the name in a reference value, of any database.
    package static func reference(_ name: String) throws(HearthError) -> DocumentName {
        let (database, path) = try path(name, "Resource name")
        return DocumentName(database: database, path: path)
    }

    /// The error for a name that ends in a collection.
    private static func unfinished(_ name: String, _ kind: String) -> HearthError {
        .argument("\(kind) \"\(name)\" lacks \"/\" at index \(name.utf8.count).")
    }

    private static func path(
        _ name: String, _ kind: String
    ) throws(HearthError) -> (DatabaseID, ResourcePath) {
        let parts = try parts(of: name, kind, fixed: ["projects", "databases", "documents"])
        do throws(PathError) {
            return (parts.database, try ResourcePath(segments: parts.rest))
        } catch {
            throw .argument("\(kind) \"\(name)\": \(error)")
        }
    }

    /// Bytes of a name. The backend's longest has 6,144 behind the database.
    static let byteCountMax = 8_192

    private static func parts(
        of name: String, _ kind: String, fixed: [String]
    ) throws(HearthError) -> (database: DatabaseID, rest: [String]) {
        guard name.utf8.count <= byteCountMax else {
            throw .argument(
                "\(kind) has \(name.utf8.count) bytes, and may have \(byteCountMax).")
        }
        let segments = name.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        // The byte at which each segment begins; the refusals name this offset.
        var offset = 0
        for (index, segment) in segments.enumerated() {
            if index.isMultiple(of: 2), index / 2 < fixed.count,
                !utf8Equals(segment, fixed[index / 2])
            {
                throw .argument(
                    "\(kind) \"\(name)\" lacks \"\(fixed[index / 2])\" at index \(offset).")
            }
            if segment.isEmpty {
                throw .argument("\(kind) \"\(name)\" lacks \(noun(at: index)) at index \(offset).")
            }
            offset += segment.utf8.count + 1
        }
        let fixedCount = fixed.count == 2 ? 4 : 5
        guard segments.count >= fixedCount else {
            let next = segments.count
            let wanted =
                next.isMultiple(of: 2) ? "\"\(fixed[next / 2])\"" : noun(at: next)
            throw .argument("\(kind) \"\(name)\" lacks \(wanted) at index \(offset).")
        }
        return (
            DatabaseID(project: segments[1], database: segments[3]),
            Array(segments[fixedCount...])
        )
    }

    /// The noun for the segment at an index.
    private static func noun(at index: Int) -> String {
        switch index {
        case 1: "a project id"
        case 3: "a database id"
        default: index.isMultiple(of: 2) ? "a resource id" : "a collection id"
        }
    }
}

extension HearthError {
    /// An `invalidArgument` with a message.
    package static func argument(_ message: String) -> HearthError {
        HearthError(code: .invalidArgument, message: message)
    }
}
