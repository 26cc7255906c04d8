import ArgumentParser
import Hearth

/// `hearth get`.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print a document.",
        discussion: """
            JSON: path, exists, fields, isFromCache, hasPendingWrites. Server timestamps that are \
            not set yet show this machine's time. A backend that says nothing is waited for 10 s; then \
            the cache answers, and a read with --source server fails. Ends with status 1 if there is \
            no such document, and with 124 if the time of --timeout is up.
            """)

    @Argument(
        help: "The document, such as rooms/hall.", completion: CompletionSubject.document.kind,
        transform: DocumentPath.parse)
    var path: PathText
    @OptionGroup var source: SourceOption
    @OptionGroup var patience: TimeoutOption
    @OptionGroup var form: ResultFormatOption
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try await Session.whenStarted(connection, timeout: patience.span)
        let reference = try session.document(path)
        let source = source.source.source
        let snapshot = try await session.attempt(
            "read \(path)", timeout: patience.span, reading: source
        ) {
            try await reference.getDocument(source: source)
        }
        let text = DocumentText(snapshot)
        let format = form.chosen(json: connection.json)
        switch format {
        case .json, .ndjson: Terminal.print(text.report.line)
        case .table: ValueRow.printTable(Self.rows(text), isQuiet: connection.quiet)
        case nil where snapshot.exists: for line in text.lines { Terminal.print(line) }
        case nil: break
        }
        guard snapshot.exists else {
            if format == .json || format == .ndjson { throw Failure(silently: .failed) }
            throw Failure(.failed, "There is no document \(path)\(text.remarks).")
        }
    }

    private static func rows(_ text: DocumentText) -> [ValueRow] {
        text.fields.map { ValueRow.rows(of: $0, named: text.path) } ?? []
    }
}
