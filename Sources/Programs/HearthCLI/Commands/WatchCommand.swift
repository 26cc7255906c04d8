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
            status", and the state is closed once nobody uses the database any more. A line about \
            one of several databases begins with its name, a line about the daemon itself with hearthd. While the daemon \
            opens a database, which takes long after some updates, the state is starting. While nobody \
            listens at the socket, the state is not running. While somebody listens and does not answer, as \
            a daemon that stands still, the state is not answering; that is noticed within 20 s. It goes \
            on once a daemon answers.
            """)

    @Option(
        help: ArgumentHelp(
            "How long to rest after a change. An older daemon is asked as often.",
            valueName: "time"), transform: DurationText.parse)
    var every: DurationText?
    @Option(
        help: ArgumentHelp("Stop after so many changes.", valueName: "n"),
        transform: WholeNumber.positive)
    var count: Int?
    @OptionGroup var connection: OperatorOptions

    /// How often a daemon is looked for that is not there.
    private static let pause = Duration.milliseconds(500)
    /// How long the daemon may take to say which databases it has.
    private static let patience = Duration.seconds(2)
    /// How often a daemon that does not answer is looked for. Each look takes a place at its socket.
    private static let silencePause = Duration.seconds(5)
    /// How often the ages on a terminal are shown anew.
    private static let tick = Duration.seconds(1)

    func run() async throws {
        let newest = NewestStatus()
        let looking = Task { await look(newest) }
        let ticking = Task { await tick(newest) }
        let attending = Task { await attend(newest) }
        defer {
            looking.cancel()
            ticking.cancel()
            attending.cancel()
        }
        var watch = StatusWatch()
        var screen = Redraw(isWanted: !connection.json)
        var rest = count ?? .max
        for await _ in newest.wakes {
            let (list, isSilent) = newest.look
            let changes = watch.saw(list, isThere: isSilent).prefix(rest)
            if changes.isEmpty {
                if list != nil { screen.refresh { Self.lines(of: list) } }
            } else {
                screen.show { isInPlace in
                    guard isInPlace else { return changes.map { line(of: $0, in: list) } }
                    return isSilent ? [Self.silence] : Self.lines(of: list)
                }
                rest -= changes.count
                if rest == 0 { return }
            }
        }
    }

    /// Has the daemon tell its state, once there is a daemon; the library goes on over restarts.
    private func look(_ newest: NewestStatus) async {
        while !Task.isCancelled {
            do {
                try Session.probe(connection.socketPath)
                let session = try await OperatorSession.open(connection, timeout: Self.patience)
                let socketPath = connection.socketPath
                try await session.follow(every: every?.duration) { statuses in
                    if let statuses { return newest.tell(statuses) }
                    newest.tellAbsence(isThere: Session.isSomebody(at: socketPath))
                }
            } catch {
                newest.tellAbsence(isThere: Session.mayListen(after: error))
            }
            try? await Task.sleep(for: every?.duration ?? Self.pause)
        }
    }

    /// Shows ages as time passes, which only a terminal does.
    private func tick(_ newest: NewestStatus) async {
        guard !connection.json, Terminal.isTerminal(.output) else { return }
        while (try? await Task.sleep(for: Self.tick)) != nil { newest.wake() }
    }

    /// Notices when a daemon that does not answer ends.
    private func attend(_ newest: NewestStatus) async {
        while (try? await Task.sleep(for: Self.silencePause)) != nil {
            if newest.look.isSilent, !Session.isSomebody(at: connection.socketPath) {
                newest.tellEnd()
            }
        }
    }

    private static let absence = "state     not running"
    private static let silence = "state     not answering"
    private static let start = "state     starting"

    /// A line about the daemon itself, in the form of the lines about databases.
    static func line(ofDaemon state: String) -> String { "hearthd: \(state)" }

    private static func lines(of list: StatusList?) -> [String] {
        guard let list else { return [absence] }
        return list.texts.isEmpty ? [start] : list.lines
    }

    private func line(of change: StatusWatch.Change, in list: StatusList?) -> String {
        switch (change, connection.json) {
        case (.gone, true): Report().with("state", "not running").line
        case (.gone, false): Self.line(ofDaemon: "not running")
        case (.silent, true): Report().with("state", "not answering").line
        case (.silent, false): Self.line(ofDaemon: "not answering")
        case (.starting, true): Report().with("state", "starting").line
        case (.starting, false): Self.line(ofDaemon: "starting")
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
