import ArgumentParser
import Hearth

/// `hearth clients`.
struct ClientsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "Print the processes that are connected.",
        discussion: """
            All for root, else those of the same user. JSON, an object for each: session, uid, gid, \
            pid, unit, program, project, database, instance, listeners, ageSeconds, writes, \
            receivedBytes, sentBytes, heldBytes.
            """)

    @OptionGroup var list: FormatOption
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        let session = try await OperatorSession.open(connection)
        let clients = try await session.attempt("list the clients") {
            try await session.database.daemonClients()
        }
        list.print(Self.connected(clients), connection)
    }

    /// The clients without a connection that a process has opened beside another and not used: it only
    /// looks whether a daemon answers, and is gone in a moment.
    private static func connected(_ clients: [DaemonClient]) -> [DaemonClient] {
        let greeted = Set(clients.filter { !$0.hasNoDatabase }.map(\.process.pid))
        return clients.filter { !$0.hasNoDatabase || !greeted.contains($0.process.pid) }
    }
}

/// `hearth listeners`.
struct ListenersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listeners", abstract: "Print what the connected processes listen to.",
        discussion: """
            All for root, else those of the same user. JSON, an object for each: session, uid, gid, \
            pid, unit, program, project, database, instance, query (in words, the same for equal \
            queries).
            """)

    @OptionGroup var list: FormatOption
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        let session = try await OperatorSession.open(connection)
        let listeners = try await session.attempt("list the listeners") {
            try await session.database.daemonListeners()
        }
        list.print(listeners, connection)
    }
}

extension DaemonClient: ListRow {
    static var columns: [Column<DaemonClient>] {
        [
            Column(number: "SESSION") { "\($0.id)" },
            Column("PROCESS") { $0.process.line },
            Column(number: "LISTENERS") { Quantity.number($0.listenerCount) },
            Column(number: "AGE") { Quantity.duration($0.age) },
            Column(number: "WRITES") { Quantity.number($0.writeCount) },
            Column(number: "IN") { Quantity.bytes($0.receivedByteCount) },
            Column(number: "OUT") { Quantity.bytes($0.sentByteCount) },
            Column(number: "HELD") { Quantity.bytes($0.heldByteCount) },
            Column("DATABASE") {
                $0.hasNoDatabase ? nil : $0.instanceURL ?? "\($0.projectID)/\($0.databaseID)"
            },
        ]
    }

    var report: Report {
        Report().with("session", Int(clamping: id)).with(process)
            .with("project", projectID).with("database", databaseID)
            .with("instance", instanceURL)
            .with("listeners", listenerCount)
            .with("ageSeconds", Int(age.components.seconds))
            .with("writes", writeCount).with("receivedBytes", receivedByteCount)
            .with("sentBytes", sentByteCount).with("heldBytes", heldByteCount)
    }
}

extension DaemonListener: ListRow {
    static var columns: [Column<DaemonListener>] {
        [
            Column(number: "SESSION") { "\($0.sessionID)" },
            Column("PROCESS") { $0.process.line },
            Column("DATABASE") {
                $0.instanceURL ?? ($0.projectID.isEmpty ? nil : "\($0.projectID)/\($0.databaseID)")
            },
            Column("QUERY") { $0.query },
        ]
    }

    var report: Report {
        Report().with("session", Int(clamping: sessionID)).with(process)
            .with("project", projectID).with("database", databaseID)
            .with("instance", instanceURL).with("query", query)
    }
}

extension DaemonClient {
    /// Whether the process has not said which database it wants.
    fileprivate var hasNoDatabase: Bool { projectID.isEmpty && instanceURL == nil }
}
