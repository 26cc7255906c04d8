import ArgumentParser
import Hearth

/// `hearth collections`.
struct CollectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collections",
        abstract: "Print the collections that this machine's cache knows.",
        discussion: """
            Collections that a program of this machine has read from or written to. JSON, an object \
            for each: path.
            """)

    @Argument(
        help: "A document or a collection; only what is below it is printed.",
        completion: CompletionSubject.path.kind, transform: DocumentPath.parseAny)
    var path: PathText?
    @OptionGroup var list: FormatOption
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let path = path?.description
        let collections = try await session.attempt("list the collections") {
            try await session.firestore.cachedCollections(below: path)
        }
        list.print(collections.map(CollectionRow.init), connection)
    }
}

/// A collection that the cache knows.
struct CollectionRow: ListRow {
    /// The path from the root.
    let path: String

    static var columns: [Column<CollectionRow>] { [Column("COLLECTION") { $0.path }] }

    var report: Report { Report().with("path", path) }
}
