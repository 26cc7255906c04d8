import ArgumentParser
import Hearth

/// `hearth export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print documents and all that is below them, so that import can read them.",
        discussion: """
            A line of JSON for each document: path, fields. Without a path, the whole database. \
            Which collections there are below a document is known from this machine's cache: what \
            no program here has ever read or written is not found. JSON: documents, output.
            """)

    @Argument(
        help: "Documents and collections, such as rooms/hall or rooms.",
        completion: CompletionSubject.path.kind, transform: DocumentPath.parseAny)
    var path: [PathText] = []
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where to write; - for standard output.", valueName: "file"),
        completion: .file())
    var output = "-"
    @OptionGroup var source: SourceOption
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let exporter = Exporter(firestore: session.firestore, source: source.source.source)
        let (paths, output) = (path, output)
        let count = try await session.attempt("export") {
            let file = try LineFile(output)
            var count = 0
            for path in paths.isEmpty ? [nil] : paths.map(Optional.some) {
                try await exporter.run(path) { line throws(Failure) in
                    try file.put(line)
                    count += 1
                }
            }
            try file.finish()
            return count
        }
        if output == "-" || connection.quiet { return }
        if connection.json {
            Terminal.print(Report().with("documents", count).with("output", output).line)
        } else {
            Terminal.print(
                "exported \(Quantity.count(count, "document", "documents")) to \(output)")
        }
    }
}
