import ArgumentParser
import Hearth

/// `hearth history`.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Print what became of a document on this machine, and who wrote it.",
        discussion: """
            The newest step first. Events: known (the document was so when its history began here), \
            heard (the backend told of a version), accepted, edited, committed, rejected and \
            withdrawn (a write of this machine). The daemon notes steps while [history] isKept is \
            true. Times are the machine's own clock. --diff shows what each step changed in what \
            programs saw: + a new field, - one that is gone, ~ another value. JSON, an object for \
            each: number, notedAt, event, state (found, missing, fieldsUnknown, unknown), updatedAt, \
            readAt, hasPendingWrites; batch, user, uid, gid, pid, unit, program (of a write, else null); \
            error; fields; remoteFields (what the backend had said, if writes that waited made the \
            fields other ones); with --diff changes (each field with before and after).
            """)

    @Argument(help: "The document, such as rooms/hall.", transform: DocumentPath.parse)
    var path: PathText
    @Flag(help: "Show field by field what each step changed.")
    var diff = false
    @Option(
        help: ArgumentHelp(
            "Print the one step that tells what the document was then: a time such as "
                + "2026-11-28T05:00:00Z, or how long ago, such as 2h.", valueName: "time"),
        transform: HistoryCommand.moment)
    var at: MomentText?
    @Option(
        help: ArgumentHelp("Only steps since then, a time or how long ago.", valueName: "time"),
        transform: HistoryCommand.moment)
    var since: MomentText?
    @Option(
        help: ArgumentHelp("How many steps at most, the newest.", valueName: "count"),
        transform: WholeNumber.parse(in: 1...Self.limitMax))
    var limit = 50
    @OptionGroup var list: FormatOption
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if at != nil, diff || since != nil {
            throw ValidationError("--at prints one step: leave out --diff and --since.")
        }
    }

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let reference = try session.document(path)
        let now = Timestamp()
        if let time = at?.moment(now: now) {
            let version = try await session.attempt("read the history of \(path)") {
                try await reference.version(at: time)
            }
            guard let version else {
                throw Failure(
                    .failed, "It is not known what \(path) was at \(time). \(Self.condition)")
            }
            return list.print([HistoryRow(version, after: nil)], connection)
        }
        let (since, count) = (since?.moment(now: now), limit + (diff ? 1 : 0))
        let versions = try await session.attempt("read the history of \(path)") {
            try await reference.versions(since: since, countMax: count)
        }
        print(HistoryRow.rows(versions, countMax: limit, isDiff: diff))
    }

    private func print(_ rows: [HistoryRow]) {
        guard diff, list.chosen(json: connection.json) ?? .table == .table else {
            return list.print(
                rows, connection,
                absence: "Nothing is known of \(path)'s history. \(Self.condition)")
        }
        for line in rows.flatMap(\.lines) { Terminal.printRow(line) }
    }
}

extension HistoryCommand {
    /// What must hold for a history, for answers without one.
    private static let condition =
        "The daemon notes steps while isKept is true under [history] of hearthd.toml."

    /// The most steps that are printed at a time.
    private static let limitMax = 100_000

    private static func moment(_ text: String) throws -> MomentText {
        guard let moment = MomentText(text) else {
            throw ValidationError(
                "\(text) is no time: write 2026-11-28T05:00:00Z, or how long ago, such as 2h.")
        }
        return moment
    }
}

extension DocumentReference {
    /// The newest steps.
    fileprivate func versions(
        since: Timestamp?, countMax: Int
    ) async throws -> [DocumentVersion] {
        var versions: [DocumentVersion] = []
        for try await version in history(since: since) {
            versions.append(version)
            if versions.count == countMax { break }
        }
        return versions
    }
}
