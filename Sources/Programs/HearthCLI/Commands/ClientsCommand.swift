import ArgumentParser
import Hearth

/// `hearth clients`.
struct ClientsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "Print the processes that are connected.",
        discussion: """
            All for root, else those of the same user. JSON, a line for each: session, uid, gid, \
            pid, unit, program, project, database, instance, listeners, ageSeconds, heldBytes.
            """)

    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        let session = try await OperatorSession.open(connection)
        let clients = try await session.attempt("list the clients") {
            try await session.database.daemonClients()
        }
        for client in Self.connected(clients) {
            if connection.json {
                Terminal.print(Self.report(client).line)
            } else {
                Terminal.printRow(Self.line(client))
            }
        }
    }

    /// The clients without a connection that a process has opened beside another and not used: it only
    /// looks whether a daemon answers, and is gone in a moment.
    private static func connected(_ clients: [DaemonClient]) -> [DaemonClient] {
        let greeted = Set(clients.filter { !$0.hasNoDatabase }.map(\.process.pid))
        return clients.filter { !$0.hasNoDatabase || !greeted.contains($0.process.pid) }
    }

    private static func report(_ client: DaemonClient) -> Report {
        Report().with("session", Int(client.id)).with(client.process)
            .with("project", client.projectID).with("database", client.databaseID)
            .with("instance", client.instanceURL)
            .with("listeners", client.listenerCount)
            .with("ageSeconds", Int(client.age.components.seconds))
            .with("heldBytes", client.heldByteCount)
    }

    private static func line(_ client: DaemonClient) -> String {
        let listeners = Quantity.count(client.listenerCount, "listener", "listeners")
        let held = Quantity.bytes(client.heldByteCount)
        let database = client.instanceURL ?? "\(client.projectID)/\(client.databaseID)"
        return "\(client.id)  \(client.process.line)  \(database)  "
            + "\(listeners)  \(Quantity.duration(client.age))  \(held) held"
    }
}

/// `hearth listeners`.
struct ListenersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listeners", abstract: "Print what the connected processes listen to.",
        discussion: """
            All for root, else those of the same user. JSON, a line for each: session, uid, gid, \
            pid, unit, program, project, database, instance, query.
            """)

    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        let session = try await OperatorSession.open(connection)
        let listeners = try await session.attempt("list the listeners") {
            try await session.database.daemonListeners()
        }
        for listener in listeners {
            if connection.json {
                Terminal.print(Self.report(listener).line)
            } else {
                Terminal.printRow(Self.line(listener))
            }
        }
    }

    private static func report(_ listener: DaemonListener) -> Report {
        Report().with("session", Int(listener.sessionID)).with(listener.process)
            .with("project", listener.projectID).with("database", listener.databaseID)
            .with("instance", listener.instanceURL).with("query", listener.query)
    }

    private static func line(_ listener: DaemonListener) -> String {
        "\(listener.sessionID)  \(listener.process.line)  \(listener.query)"
    }
}

extension DaemonClient {
    /// Whether the process has not said which database it wants.
    fileprivate var hasNoDatabase: Bool { projectID.isEmpty && instanceURL == nil }
}
