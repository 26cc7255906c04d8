import ArgumentParser
import Glibc

/// `hearth logs`.
struct LogsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Print what the daemon wrote into the journal.",
        discussion: """
            Runs journalctl for the unit hearthd. MATCH is a field of the journal, such as \
            HEARTH_SYNC_STATE=offline or HEARTH_PROJECT=demo. A daemon that systemd did not start \
            writes to its standard error instead.
            """)

    @Argument(help: ArgumentHelp("Only messages with this field.", valueName: "match"))
    var matches: [String] = []
    @Flag(name: .shortAndLong, help: "Go on with what is written from now on.")
    var follow = false
    @Option(help: ArgumentHelp("Only from then on, such as today or -1h.", valueName: "time"))
    var since: String?
    @Option(
        help: ArgumentHelp(
            "Only messages of this priority or above, such as warning.", valueName: "priority"))
    var priority: String?
    @Option(
        help: ArgumentHelp("Only the last of them.", valueName: "n"),
        transform: WholeNumber.parse(in: 0...Int.max))
    var lines: Int?
    @Flag(help: "What each message means, too.")
    var explain = false
    @Flag(help: "Of the user's own daemon, not of the machine's.")
    var user = false
    @Flag(help: "Print JSON, one object a line, with all fields.")
    var json = false

    /// What journalctl is told.
    var arguments: [String] {
        var arguments = user ? ["--user", "--user-unit=hearthd"] : ["--unit=hearthd"]
        if follow { arguments.append("--follow") }
        if let since { arguments.append("--since=\(since)") }
        if let priority { arguments.append("--priority=\(priority)") }
        if let lines { arguments.append("--lines=\(lines)") }
        if explain { arguments.append("--catalog") }
        if json { arguments.append("--output=json") }
        return arguments + matches
    }

    /// Where systemd keeps journals.
    private static let folders = ["/var/log/journal", "/run/log/journal"]

    /// There is nothing that journalctl could read, which journalctl takes for a success.
    static let absence = Failure(
        .failed,
        "This machine has no journal. A daemon that systemd did not start writes its log to its "
            + "standard error: the terminal, the file or the container's log of whoever started "
            + "hearthd.")

    /// Whether a folder has the journal of some machine.
    static func hasJournal(in folders: [String]) -> Bool {
        folders.contains { folder in
            var found = glob_t()
            defer { globfree(&found) }
            return glob("\(folder)/*/*.journal", 0, nil, &found) == 0
        }
    }

    func validate() throws {
        for match in matches where !match.contains("=") {
            throw ValidationError("\(match) is no FIELD=VALUE.")
        }
    }

    func run() throws {
        guard Self.hasJournal(in: Self.folders) else { throw Self.absence }
        let words = ["journalctl"] + arguments
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        pointers.append(nil)
        execvp("journalctl", pointers)
        throw Failure(
            .failed, "journalctl cannot be run: \(String(cString: strerror(errno))).")
    }
}
