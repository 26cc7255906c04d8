/// The name of a Firestore database as an argument: `PROJECT`, `PROJECT/DATABASE`, or in full as messages name
/// it, `projects/PROJECT/databases/DATABASE`.
package struct DatabaseName: Hashable {
    /// The project's id.
    package let project: String
    /// The database's id; `nil` for the project's default one.
    package let database: String?

    /// What to say of a text that is no name.
    package static let complaint =
        "--database takes PROJECT, PROJECT/DATABASE or projects/PROJECT/databases/DATABASE."

    /// Reads a name; `nil` if the text is none.
    package init?(_ text: String) {
        var parts = text.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        if parts.count == 4, parts[0] == "projects", parts[2] == "databases" {
            parts = [parts[1], parts[3]]
        }
        guard let project = parts.first, parts.count <= 2, !parts.contains("") else { return nil }
        self.project = project
        database = parts.count == 2 ? parts[1] : nil
    }
}
