import ArgumentParser
import Hearth

/// `hearth network`.
struct NetworkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network",
        abstract: "Let the daemon connect to the backend, or keep it from it, for all programs.",
        discussion: """
            Concerns one database: the daemon's own, or the one that --database or --instance names. \
            Programs go on reading and writing either way. JSON: isNetworkEnabled.
            """)

    /// What the switch can be.
    enum Position: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
    }

    @Argument(help: "on or off.")
    var position: Position
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        let session = try await OperatorSession.open(connection)
        let isOn = position == .on
        try await session.attempt("switch the network \(position.rawValue)") {
            try await session.database.setDaemonNetwork(isEnabled: isOn)
        }
        if connection.json {
            Terminal.print(Report().with("isNetworkEnabled", isOn).line)
        } else if !connection.quiet {
            Terminal.print("network \(position.rawValue)")
        }
    }
}
