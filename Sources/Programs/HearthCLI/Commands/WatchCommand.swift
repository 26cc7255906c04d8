import ArgumentParser
import Hearth

/// `hearth watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show how the daemon is, and whenever that changes.",
        discussion: """
            Tells of the databases that "hearth status" tells of. On a terminal its table is kept up \
            to date in its place, ages included. In a pipe, and in the background, there is a line \
            for each change of a database, in JSON with --json; its fields are those of "hearth \
            status", and the state is closed once nobody uses the database any more. While no daemon \
            answers, that is shown, and it goes on once one does.
            """)

    @Option(help: ArgumentHelp("How often to look.", valueName: "time"))
    var every: DurationText?
    @Option(help: ArgumentHelp("Stop after so many changes.", valueName: "n"))
    var count: Int?
    @OptionGroup var connection: OperatorOptions

    /// How often to look if nothing else was asked for. A look costs the daemon microseconds.
    private static let pause = Duration.milliseconds(500)

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func run() async throws {
        var session: OperatorSession?
        var watch = StatusWatch()
        var screen = Redraw(isWanted: !connection.json)
        var rest = count ?? .max
        while true {
            let list = await look(&session)
            let changes = watch.saw(list).prefix(rest)
            if changes.isEmpty {
                if let list { screen.refresh { list.lines } }
            } else {
                screen.show { isInPlace in
                    isInPlace ? list?.lines ?? Self.absence : changes.map { line(of: $0, in: list) }
                }
                rest -= changes.count
                if rest == 0 { return }
            }
            try await Task.sleep(for: every?.duration ?? Self.pause)
        }
    }

    /// How the daemon is; `nil` if no daemon answers.
    private func look(_ session: inout OperatorSession?) async -> StatusList? {
        do {
            try Session.probe(connection.socketPath)
            let open = try await {
                if let session { return session }
                return try await OperatorSession.open(connection)
            }()
            session = open
            return StatusList(try await open.statuses(), now: Timestamp())
        } catch {
            return nil
        }
    }

    private static let absence = ["state     not running"]

    private func line(of change: StatusWatch.Change, in list: StatusList?) -> String {
        switch (change, connection.json) {
        case (.gone, true): Report().with("state", "not running").line
        case (.gone, false): Self.absence[0]
        case (.status(let text), true): text.report.line
        case (.status(let text), false):
            text.line(isNamed: list.map { $0.texts.count > 1 } ?? false)
        case (.closed(let text), true):
            Report().with("state", "closed").with("project", text.status.projectID)
                .with("database", text.status.databaseID).with("instance", text.status.instanceURL)
                .line
        case (.closed(let text), false): "\(text.status.name): closed; nobody used it any more"
        }
    }
}
