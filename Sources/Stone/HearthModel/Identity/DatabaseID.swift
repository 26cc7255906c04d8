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

    package static func == (lhs: Self, rhs: Self) -> Bool {
        utf8Equals(lhs.project, rhs.project) && utf8Equals(lhs.database, rhs.database)
    }

    package func hash(into hasher: inout Hasher) {
        hashUTF8(project, into: &hasher)
        hashUTF8(database, into: &hasher)
    }

    package var description: String { name }
}
