import ArgumentParser
import Hearth

/// `hearth query`.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Print the documents of a collection.",
        discussion: """
            JSON, an object for each document: path, exists, fields, isFromCache, hasPendingWrites. \
            Offline it prints what the cache holds. A backend that says nothing is waited for 10 s; then \
            the cache answers, and a query with --source server fails. Ends with status 124 if the \
            time of --timeout is up. A table has a column for each field. With --explain: plan, indexes, examined, matched, \
            why, of an answer from the cache.
            """)

    @Argument(
        help: "The collection, such as rooms; its id with --group.",
        completion: CompletionSubject.collection.kind, transform: CollectionPath.parse
    )
    var collection: PathText

    @Flag(help: "Say how the cache answers, and print no document.")
    var explain = false
    @OptionGroup var options: QueryOptions
    @OptionGroup var source: SourceOption
    @OptionGroup var patience: TimeoutOption
    @OptionGroup var list: FormatOption
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try await Session.whenStarted(connection, timeout: patience.span)
        let source = source.source.source
        let options = options
        let collection = collection
        if explain { return try await printExplanation(session) }
        let snapshot = try await session.attempt(
            "query \(collection)", timeout: patience.span, reading: source
        ) {
            try await options.query(collection, in: session.firestore)
                .getDocuments(source: source)
        }
        let texts = snapshot.documents.map { DocumentText($0) }
        let format = list.chosen(json: connection.json)
        if let format {
            format.print(
                texts, in: DocumentTable.columns(of: texts), isQuiet: connection.quiet)
        } else {
            for text in texts { Terminal.print(text.line) }
        }
        if format ?? .table == .table, !connection.quiet {
            let remarks = DocumentText.remarks(
                isFromCache: snapshot.metadata.isFromCache,
                hasPendingWrites: snapshot.metadata.hasPendingWrites)
            let count = Quantity.count(snapshot.count, "document", "documents")
            Terminal.write("\(count)\(remarks)\n", to: .error)
        }
    }

    private func printExplanation(_ session: Session) async throws {
        let (options, collection) = (options, collection)
        let explanation = try await session.attempt(
            "explain the query of \(collection)", timeout: patience.span
        ) {
            try await options.query(collection, in: session.firestore).explain()
        }
        if list.chosen(json: connection.json) ?? .table != .table {
            Terminal.print(
                Report().with("plan", explanation.plan)
                    .with("indexes", .array(explanation.indexes.map { .string($0) }))
                    .with("examined", explanation.examinedCount)
                    .with("matched", explanation.matchedCount).with("why", explanation.why).line)
            return
        }
        let indexes =
            explanation.indexes.isEmpty ? "" : " " + explanation.indexes.joined(separator: " ")
        Terminal.print("\(explanation.plan)\(indexes)")
        Terminal.print(
            "  \(explanation.matchedCount) matched, \(explanation.examinedCount) examined")
        Terminal.print("  \(explanation.why)")
    }
}
