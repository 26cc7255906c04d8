/// One database of one project.
package struct DatabaseID: Hashable, Sendable, CustomStringConvertible {
    /// The project's id.
    package let project: String
    /// The database's id, `(default)` unless named.
    package let database: String

    /// The id of a project's default database.
    package static let defaultName = "(default)"

    /// Names a database of a project.
    package init(project: String, database: String = DatabaseID.defaultName) {
        self.project = project
        self.database = database
    }

    /// `projects/P/databases/D`.
    package var name: String { "projects/\(project)/databases/\(database)" }

    /// `projects/P/databases/D/documents`.
    package var documentsName: String { "\(name)/documents" }

    /// Bytes that an id may have: more than any of the backend's, and less than a file's name may.
    package static let idByteCountMax = 128

    /// Whether there can be a database of this name: both ids are as the backend gives them.
    package var isPossible: Bool {
        Self.isProjectID(project) && Self.isDatabaseID(database)
    }

    /// Whether a text can be the id of a project.
    ///
    /// Shape: words of `a-z` and `0-9` with hyphens between the words, perhaps behind `DOMAIN:`. The
    /// backend's ids have 6 characters or more; an emulator's may have fewer.
    package static func isProjectID(_ text: String) -> Bool {
        let parts = text.utf8.split(
            separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard text.utf8.count <= idByteCountMax, let id = parts.last, isID(id) else { return false }
        if parts.count == 1 { return true }
        let domain = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return domain.count > 1 && domain.allSatisfy(isID)
    }

    /// Whether a text can be the id of a database: `(default)`, or a word of a project's id.
    package static func isDatabaseID(_ text: String) -> Bool {
        utf8Equals(text, defaultName) || text.utf8.count <= idByteCountMax && isID(text.utf8[...])
    }

    private static func isID(_ text: Substring.UTF8View) -> Bool {
        func isPlain(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: false
            }
        }
        guard let first = text.first, let last = text.last else { return false }
        return isPlain(first) && isPlain(last)
            && text.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "-") }
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        utf8Equals(lhs.project, rhs.project) && utf8Equals(lhs.database, rhs.database)
    }

    package func hash(into hasher: inout Hasher) {
        hashUTF8(project, into: &hasher)
        hashUTF8(database, into: &hasher)
    }

    package var description: String { name }
}
