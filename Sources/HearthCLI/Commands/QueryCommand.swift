import ArgumentParser
import Hearth

/// `hearth query`.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Print the documents of a collection.",
        discussion: """
            JSON, a line for each document: path, exists, fields, isFromCache, hasPendingWrites. \
            Offline it prints what the cache holds.
            """)

    @Argument(
        help: "The collection, such as rooms; its id with --group.", transform: CollectionPath.parse
    )
    var collection: PathText
    @OptionGroup var options: QueryOptions
    @OptionGroup var source: SourceOption
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try Session(connection)
        let source = source.source.source
        let options = options
        let collection = collection
        let snapshot = try await session.attempt("query \(collection)") {
            try await options.query(collection, in: session.firestore)
                .getDocuments(source: source)
        }
        for document in snapshot.documents {
            let text = DocumentText(document)
            Terminal.print(connection.json ? text.report.line : text.line)
        }
        if !connection.json, !connection.quiet {
            let remarks = DocumentText.remarks(
                isFromCache: snapshot.metadata.isFromCache,
                hasPendingWrites: snapshot.metadata.hasPendingWrites)
            let count = Quantity.count(snapshot.count, "document", "documents")
            Terminal.write("\(count)\(remarks)\n", to: .error)
        }
    }
}
