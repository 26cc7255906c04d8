/// Which daemon and which database a `Firestore` speaks to.
public struct FirestoreSettings: Hashable, Sendable {
    /// Where the daemon's socket is.
    public var socketPath: String
    /// The project of the database; `nil` for the daemon's default database.
    public var projectID: String?
    /// The database of the project.
    public var databaseID: String
    /// The program's name as the daemon shows it to people; `nil` for the name of the executable.
    public var programName: String?
    /// How long a request waits for a daemon to connect to before it fails as `unavailable`.
    /// Listeners, and writes that the daemon has accepted, wait for ever.
    public var connectTimeout: Duration

    /// The machine's daemon and its default database, unless told otherwise.
    ///
    /// - Parameter socketPath: `nil` for `FirestoreSettings.defaultSocketPath()`.
    public init(
        socketPath: String? = nil, projectID: String? = nil, databaseID: String = "(default)",
        programName: String? = nil, connectTimeout: Duration = .seconds(10)
    ) {
        self.socketPath = socketPath ?? Self.defaultSocketPath()
        self.projectID = projectID
        self.databaseID = databaseID
        self.programName = programName
        self.connectTimeout = connectTimeout
    }

    /// Where the daemon of this machine is found: `$HEARTH_SOCKET` if it is set, else
    /// `/run/hearth/hearth.sock` if it is there, else `$XDG_RUNTIME_DIR/hearth/hearth.sock`.
    public static func defaultSocketPath() -> String {
        SocketPath.find(
            environment: SocketPath.environmentVariable, exists: SocketPath.fileExists)
    }
}
