import ArgumentParser
import Hearth

/// `hearth collections`.
struct CollectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collections",
        abstract: "Print the collections that this machine's cache knows.",
        discussion: """
            Those that a program here has read of or written to. JSON, a line for each: path.
            """)

    @Argument(
        help: "A document or a collection; only what is below it is printed.",
        transform: DocumentPath.parseAny)
    var path: PathText?
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let path = path?.description
        let collections = try await session.attempt("list the collections") {
            try await session.firestore.cachedCollections(below: path)
        }
        for collection in collections {
            Terminal.print(
                connection.json ? Report().with("path", collection).line : collection)
        }
    }
}
