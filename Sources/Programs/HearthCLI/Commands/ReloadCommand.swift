import ArgumentParser
import Glibc
import Hearth

/// `hearth reload`.
struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Have the daemon read its configuration again.",
        discussion: """
            Access rules and limits count at once, for connected programs too; what needs a restart \
            is told. A configuration that is wrong is refused with status 1, and the old one goes on \
            to count. A reload also takes note of a lost number of the stores, if hearth status tells \
            of one. JSON: applied, needsRestart.
            """)

    @Flag(help: "Wait until it is done, as this command always does.")
    var wait = false
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        var options = connection
        options.connection.socket = Self.controlSocket(beside: connection.socketPath)
        let session = try await OperatorSession.open(options)
        let changes = try await session.attempt("reload the configuration") {
            try await session.database.reloadDaemonConfiguration()
        }
        if connection.json {
            Terminal.print(
                Report().with("applied", .array(changes.applied.map(ValueLiteral.string)))
                    .with("needsRestart", .array(changes.needsRestart.map(ValueLiteral.string)))
                    .line)
            return
        }
        if connection.quiet { return }
        for line in Self.lines(changes.applied, afterRestart: changes.needsRestart) {
            Terminal.print(line)
        }
    }

    /// What people are told of the changes.
    static func lines(_ applied: [String], afterRestart needsRestart: [String]) -> [String] {
        var lines: [String] = []
        if !applied.isEmpty { lines.append("now: \(applied.joined(separator: " "))") }
        if !needsRestart.isEmpty {
            lines.append("after a restart: \(needsRestart.joined(separator: " "))")
        }
        return lines.isEmpty ? ["nothing has changed"] : lines
    }

    /// The control socket, which the daemon puts beside the clients' socket.
    ///
    /// The daemon's own user need not be in the clients' group, since the control socket lets this
    /// user in.
    private static func controlSocket(beside path: String) -> String {
        guard path.hasSuffix(".sock") else { return path }
        let stem = path.dropLast(".sock".utf8.count)
        let control =
            stem.hasSuffix("/hearth")
            ? stem.dropLast("hearth".utf8.count) + "control.sock" : stem + "-control.sock"
        return access(String(control), F_OK) == 0 ? String(control) : path
    }
}
