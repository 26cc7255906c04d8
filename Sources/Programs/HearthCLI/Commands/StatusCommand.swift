import ArgumentParser
import Hearth

/// `hearth status`.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print how the daemon is.",
        discussion: """
            Ends with status 0 if it is live or has nothing to do, 10 if it is offline and nothing \
            is lost, 1 if it is degraded. JSON: state (live, idle, connecting, offline, network \
            off, degraded), onlineState, isNetworkEnabled, degradedReasons, daemonVersion, \
            uptimeSeconds, project, database, user, upstream, queueBatches, oldestWrittenAt, \
            deadLetters, clients, listeners, targets (queries and documents that are watched, or \
            were and can be resumed), cachedDocuments, cacheBytes, heldBatches, lastError and \
            lastErrorAt (null once the backend has answered), nextAttemptSeconds.
            """)

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try Session(connection)
        let status = try await session.attempt("ask for the status") {
            try await session.firestore.daemonStatus()
        }
        let text = StatusText(status: status, now: Timestamp())
        if connection.json {
            Terminal.print(text.report.line)
        } else if connection.quiet {
            Terminal.print(text.state.rawValue)
        } else {
            for line in text.lines { Terminal.print(line) }
        }
        if text.exitStatus != .success { throw Failure(silently: text.exitStatus) }
    }
}
