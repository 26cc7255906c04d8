import HearthEngine
import HearthModel
import HearthWire

/// A process that is connected to the machine's daemon.
public struct DaemonClient: Hashable, Sendable, Identifiable {
    /// The session's number.
    public let id: UInt64
    /// The process, as the kernel describes it.
    public let process: PendingBatch.Writer
    /// The project of the process's Firestore database; empty if the process has not sent `Hello`,
    /// or has an instance of the Realtime Database.
    public let projectID: String
    /// The database of the project; empty with `projectID`.
    public let databaseID: String
    /// The address of the process's instance of the Realtime Database, if it has one.
    public let instanceURL: String?
    /// How many listeners the process has.
    public let listenerCount: Int
    /// How long the process has been connected, in whole seconds.
    public let age: Duration
    /// Bytes that the daemon holds for the process: messages that the process has begun to send,
    /// requests without an answer, and messages that the process has not read.
    public let heldByteCount: Int
    /// The process's requests to write and commits of transactions since the process connected.
    public let writeCount: Int
    /// Bytes that the process has sent.
    public let receivedByteCount: Int
    /// Bytes that the process was sent.
    public let sentByteCount: Int

    init(_ client: Inspection.Client) {
        id = client.session
        process = PendingBatch.Writer(client.process)
        projectID = client.database?.firestore?.project ?? ""
        databaseID = client.database?.firestore?.database ?? ""
        instanceURL = client.database?.realtime?.description
        listenerCount = client.listenerCount
        age = client.age
        heldByteCount = client.heldByteCount
        writeCount = client.traffic.writeCount
        receivedByteCount = client.traffic.receivedByteCount
        sentByteCount = client.traffic.sentByteCount
    }
}

/// A listener of a connected process.
public struct DaemonListener: Hashable, Sendable {
    /// The number of the process's session.
    public let sessionID: UInt64
    /// The process, as the kernel describes it.
    public let process: PendingBatch.Writer
    /// The project of the process's Firestore database; empty for an instance of the Realtime
    /// Database.
    public let projectID: String
    /// The database of the project; empty with `projectID`.
    public let databaseID: String
    /// The address of the process's instance of the Realtime Database, if it has one.
    public let instanceURL: String?
    /// The query in words on one line, such as `rooms where seats < 50 order by seats limit 10`; the same
    /// words for equal queries. The daemon cuts a very long text, and tells its size behind the cut.
    public let query: String

    init(_ listener: Inspection.Listener) {
        sessionID = listener.session
        process = PendingBatch.Writer(listener.process)
        projectID = listener.database?.firestore?.project ?? ""
        databaseID = listener.database?.firestore?.database ?? ""
        instanceURL = listener.database?.realtime?.description
        query = listener.query
    }
}

extension DaemonDatabase {
    /// The daemon's figures for monitoring, of all databases, in the text format of Prometheus.
    ///
    /// - Throws: `unavailable` if no daemon answers.
    public func daemonMetrics() async throws -> String {
        try await inspect(.metrics).metrics
    }

    /// The processes that are connected to the daemon.
    ///
    /// Root and the daemon's own user see all processes. Any other user sees only processes of the
    /// same user.
    ///
    /// - Throws: `unavailable` if no daemon answers.
    public func daemonClients() async throws -> [DaemonClient] {
        try await inspectAll(.clients).clients.map(DaemonClient.init)
    }

    /// The listeners of the processes that `daemonClients` returns.
    ///
    /// - Throws: `unavailable` if no daemon answers.
    public func daemonListeners() async throws -> [DaemonListener] {
        try await inspectAll(.listeners).listeners.map(DaemonListener.init)
    }

    /// The state of every open database of the daemon, of both kinds: Firestore's first, each kind in
    /// the order of names.
    ///
    /// The daemon opens a database that programs use or in which writes wait. Databases in which the
    /// process has no right are left out.
    ///
    /// - Throws: `unavailable` if no daemon answers.
    public func daemonDatabases() async throws -> [DaemonStatus] {
        try await inspect(.databases).databases.map(DaemonStatus.init)
    }

    /// A list with all its parts.
    private func inspectAll(_ subject: Inspection.Subject) async throws -> Inspection {
        var whole = try await inspect(subject)
        while let place = whole.next {
            let part = try await inspect(subject, after: place)
            whole.clients += part.clients
            whole.listeners += part.listeners
            guard let next = part.next, next > place else { break }
            whole.next = next
        }
        return whole
    }

    /// Asks for one list, or one part of a list.
    func inspect(
        _ subject: Inspection.Subject, after place: Inspection.Place = .start
    ) async throws -> Inspection {
        let answer = try await operatorDesk.inquire(.inspection(subject, after: place))
        guard case .inspection(let inspection) = answer else {
            throw operatorDesk.unexpected(answer)
        }
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
