import HearthEngine
import HearthModel
import HearthWire

/// A process that is connected to the machine's daemon.
public struct DaemonClient: Hashable, Sendable, Identifiable {
    /// The session's number.
    public let id: UInt64
    /// Who it is, as the kernel says.
    public let process: PendingBatch.Writer
    /// The project of its database; empty if it has not greeted.
    public let projectID: String
    /// The database of the project.
    public let databaseID: String
    /// How many listeners it has.
    public let listenerCount: Int
    /// How long it has been connected, in whole seconds.
    public let age: Duration
    /// Bytes that the daemon holds for it: what it has begun to send, what has no answer yet, and what it
    /// has not read.
    public let heldByteCount: Int

    init(_ client: Inspection.Client) {
        id = client.session
        process = PendingBatch.Writer(client.process)
        projectID = client.database?.project ?? ""
        databaseID = client.database?.database ?? ""
        listenerCount = client.listenerCount
        age = client.age
        heldByteCount = client.heldByteCount
    }
}

/// What a connected process listens to.
public struct DaemonListener: Hashable, Sendable {
    /// The number of the process's session.
    public let sessionID: UInt64
    /// Who it is, as the kernel says.
    public let process: PendingBatch.Writer
    /// The project of its database.
    public let projectID: String
    /// The database of the project.
    public let databaseID: String
    /// The query, as the daemon's log writes it: its path, and `|f:` before filters, `|ob:` before
    /// the order, `|l:` before a limit.
    public let query: String

    init(_ listener: Inspection.Listener) {
        sessionID = listener.session
        process = PendingBatch.Writer(listener.process)
        projectID = listener.database?.project ?? ""
        databaseID = listener.database?.database ?? ""
        query = listener.query
    }
}

extension Firestore {
    /// The daemon's figures for monitoring, of all databases, in the text format of Prometheus.
    public func daemonMetrics() async throws -> String {
        try await inspect(.metrics).metrics
    }

    /// The processes that are connected to the daemon; for others than root and the daemon's own
    /// user, only those of the same user.
    public func daemonClients() async throws -> [DaemonClient] {
        try await inspect(.clients).clients.map(DaemonClient.init)
    }

    /// What they listen to.
    public func daemonListeners() async throws -> [DaemonListener] {
        try await inspect(.listeners).listeners.map(DaemonListener.init)
    }

    private func inspect(_ subject: Inspection.Subject) async throws -> Inspection {
        let answer = try await inquire(.inspection(subject))
        guard case .inspection(let inspection) = answer else { throw Self.unexpected(answer) }
        return inspection
    }
}

extension PendingBatch.Writer {
    fileprivate init(_ writer: HearthEngine.Writer) {
        self.init(
            uid: writer.uid, gid: writer.gid, pid: writer.pid, unit: writer.unit,
            program: writer.program)
    }
}
