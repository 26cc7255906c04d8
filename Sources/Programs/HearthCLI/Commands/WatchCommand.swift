import ArgumentParser
import Hearth

/// `hearth watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show how the daemon is, and whenever that changes.",
        discussion: """
            On a terminal the table of "hearth status" is kept up to date in its place, ages \
            included. In a pipe, and in the background, there is a line for each change, in JSON \
            with --json; its fields are those of "hearth status". While no daemon answers, that is shown, and it goes on \
            once one does.
            """)

    @Option(help: ArgumentHelp("How often to look.", valueName: "time"))
    var every: DurationText?
    @Option(help: ArgumentHelp("Stop after so many changes.", valueName: "n"))
    var count: Int?
    @OptionGroup var connection: ConnectionOptions

    /// How often to look if nothing else was asked for. A look costs the daemon microseconds.
    private static let pause = Duration.milliseconds(500)

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func run() async throws {
        let firestore = Firestore(settings: connection.settings)
        var watch = StatusWatch()
        var screen = Redraw(isWanted: !connection.json)
        var shown = 0
        while true {
            let text = await look(firestore)
            if let change = watch.saw(text) {
                screen.show { lines(of: change, isInPlace: $0) }
                shown += 1
                if shown == count { return }
            } else if let text {
                screen.refresh { lines(of: .status(text), isInPlace: true) }
            }
            try await Task.sleep(for: every?.duration ?? Self.pause)
        }
    }

    private func look(_ firestore: Firestore) async -> StatusText? {
        do throws(Failure) {
            try Session.probe(connection.settings.socketPath)
        } catch {
            return nil
        }
        let status = try? await firestore.daemonStatus()
        return status.map { StatusText(status: $0, now: Timestamp()) }
    }

    private func lines(of change: StatusWatch.Change, isInPlace: Bool) -> [String] {
        switch (change, connection.json) {
        case (.gone, true): [Report().with("state", "not running").line]
        case (.gone, false): ["state     not running"]
        case (.status(let text), true): [text.report.line]
        case (.status(let text), false): isInPlace ? text.lines : [text.line]
        }
    }
}
