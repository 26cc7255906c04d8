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
            no program here has ever read or written is not found. Of a path where nothing is, \
            standard error says so, and the status is 0, as of a query without results. JSON: \
            documents, output.
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
        let (count, empty) = try await session.attempt("export") {
            let file = try LineFile(output)
            var count = 0
            var empty: [PathText?] = []
            for path in paths.isEmpty ? [nil] : paths.map(Optional.some) {
                let before = count
                try await exporter.run(path) { line throws(Failure) in
                    try file.put(line)
                    count += 1
                }
                if count == before { empty.append(path) }
            }
            try file.finish()
            return (count, empty)
        }
        if !connection.quiet {
            for path in empty { Terminal.write(Self.absence(at: path) + "\n", to: .error) }
        }
        if output == "-" || connection.quiet { return }
        if connection.json {
            Terminal.print(Report().with("documents", count).with("output", output).line)
        } else {
            Terminal.print(
                "exported \(Quantity.count(count, "document", "documents")) to \(output)")
        }
    }

    /// What is said of a path where nothing is; `nil` stands for the whole database.
    private static func absence(at path: PathText?) -> String {
        guard let path else { return "Nothing is in the database, as far as this machine knows." }
        return TerminalText.line("Nothing is at or below \(path), as far as this machine knows.")
    }
}
