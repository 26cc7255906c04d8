import ArgumentParser
import Hearth

/// `hearth top`.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show who reads most from Firestore today, and go on showing it.",
        discussion: """
            The table of "hearth ledger" for the present day. On a terminal it is kept up to date in \
            its place. In a pipe, and in the background, the table is printed again whenever it has \
            changed; --format json prints an array on one line then, and --format ndjson, which --json is \
            too, an object on each line. The fields are those of "hearth ledger". While nobody listens at the socket, the state is not running; while \
            somebody listens and does not answer, not answering. It goes on once a daemon answers.
            """)

    @Option(help: "A row for each: program, query, listener or day.")
    var by = LedgerGrouping.program
    @Option(
        help: ArgumentHelp("How often to look.", valueName: "time"), transform: DurationText.parse)
    var every: DurationText?
    @Option(
        help: ArgumentHelp("How many rows to show.", valueName: "n"),
        transform: WholeNumber.positive)
    var rows = 20
    @Option(
        help: ArgumentHelp("Stop after so many changes.", valueName: "n"),
        transform: WholeNumber.positive)
    var count: Int?
    @OptionGroup var list: FormatOption
    @OptionGroup var connection: OperatorOptions

    /// How often to look if nothing else was asked for.
    private static let pause = Duration.seconds(1)

    func run() async throws {
        var session: OperatorSession?
        var attendance: Task<Void, Never>?
        defer { attendance?.cancel() }
        var screen = Redraw(isWanted: format == .table)
        var last: [String]?
        var rest = count ?? .max
        while true {
            let lines = await look(&session)
            if attendance == nil, let database = session?.database {
                // Who listens to the daemon's state notices a daemon that stands still.
                attendance = Task { for await _ in database.states {} }
            }
            if lines != last {
                screen.show { _ in lines }
                last = lines
                rest -= 1
                if rest == 0 { return }
            }
            try await Task.sleep(for: every?.duration ?? Self.pause)
        }
    }

    /// The tables of now, or that no daemon answers or runs.
    private func look(_ session: inout OperatorSession?) async -> [String] {
        do {
            try Session.probe(connection.socketPath)
            let open = try await {
                if let session { return session }
                return try await OperatorSession.open(connection)
            }()
            session = open
            let texts = try await open.ledgers(since: nil, by: by.word)
            return lines(of: texts)
        } catch {
            let word = Session.mayListen(after: error) ? "not answering" : "not running"
            return format == .table
                ? ["state     \(word)"] : lines(of: [Report().with("state", word)])
        }
    }

    private var format: ListFormat { list.chosen(json: connection.json) ?? .table }

    private func lines(of texts: [LedgerText]) -> [String] {
        guard format == .table else {
            return lines(of: texts.flatMap { $0.rows.prefix(rows).map(\.report) })
        }
        return texts.flatMap { $0.lines(countMax: rows, isQuiet: connection.quiet) }
    }

    /// The objects of one look. The command prints an array on one line, so a reader takes one line
    /// for one look.
    private func lines(of reports: [Report]) -> [String] {
        guard format == .json else { return reports.map(\.line) }
        return [ValueWriter.write(.array(reports.map(\.value)), as: .json)]
    }
}
