import ArgumentParser
import Hearth

/// `hearth queue retry`.
struct QueueRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try the backend now, rather than when the wait after a failure is over.")

    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        let session = try await OperatorSession.open(connection)
        try await session.attempt("try the backend") {
            try await session.database.retryBackend()
        }
        if connection.json {
            Terminal.print(Report().with("state", "trying").line)
        } else if !connection.quiet {
            Terminal.print("trying")
        }
    }
}
