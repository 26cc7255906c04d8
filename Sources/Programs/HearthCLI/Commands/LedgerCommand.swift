import ArgumentParser
import Hearth

/// `hearth ledger`.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Print what programs have read from Firestore, and what that costs.",
        discussion: """
            Counts documents as Google bills them. "alone" is what the same would have cost without \
            the daemon: each process for itself, with its memory alone. Whole days, which begin at \
            midnight UTC: the present day, or all days from the one on that lies --since ago. Of \
            listeners: those of now, since each began. All programs for root, else those of the same \
            user. JSON, an object for each row: database, since, program, unit, uid, stopped, \
            budget, budgetUsed, budgetOf (program, unit or user: the budget of today that lets the \
            program read least), query, day, session, listensSince, reads, aloneReads, savedReads, \
            as far as the row has them.
            """)

    @Option(
        help: ArgumentHelp("How far back, such as 24h.", valueName: "time"),
        transform: DurationText.parse)
    var since: DurationText?
    @Option(help: "A row for each: program, query, listener or day.")
    var by = LedgerGrouping.program
    @OptionGroup var list: FormatOption
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        let session = try await OperatorSession.open(connection)
        let since = since.map { Self.now(before: $0.duration) }
        let texts = try await session.ledgers(since: since, by: by.word)
        switch list.chosen(json: connection.json) ?? .table {
        case .table:
            for text in texts {
                for line in text.lines(on: Terminal.screen, isQuiet: connection.quiet) {
                    Terminal.order(line + "\n", to: .output)
                }
            }
        case .json, .ndjson: list.print(texts.flatMap(\.rows), connection)
        }
    }
}

extension LedgerCommand {
    /// The moment that lies so long ago, in whole seconds; the epoch for a longer time.
    private static func now(before duration: Duration) -> Timestamp {
        let seconds = Timestamp().seconds - duration.components.seconds
        return Timestamp(seconds: max(0, seconds), nanoseconds: 0)
    }
}

/// By what a table of the ledger is added up, as it is typed.
enum LedgerGrouping: String, CaseIterable, ExpressibleByArgument {
    case program, query, listener, day

    /// The library's word for it.
    var word: DaemonLedger.Grouping {
        switch self {
        case .program: .program
        case .query: .query
        case .listener: .listener
        case .day: .day
        }
    }
}

extension OperatorSession {
    /// The ledger of the named Firestore database; of every open one, if none was named.
    func ledgers(
        since: Timestamp?, by grouping: DaemonLedger.Grouping
    ) async throws -> [LedgerText] {
        var texts: [LedgerText] = []
        let databases = try await attempt("ask which databases there are") {
            try await self.databases()
        }
        for database in databases {
            guard let firestore = database as? Firestore else { continue }
            let (ledger, status) = try await attempt("read the ledger") {
                let ledger = try await firestore.daemonLedger(since: since, by: grouping)
                return (ledger, try await firestore.daemonStatus())
            }
            texts.append(
                LedgerText(
                    name: "\(status.projectID)/\(status.databaseID)", ledger: ledger,
                    grouping: grouping))
        }
        return texts
    }
}
