public import Dispatch
import Synchronization

/// Which daemon and which database a `Firestore` speaks to, and what the program counts on.
///
///     let settings = FirestoreSettings()
///     settings.cacheSettings = PersistentCacheSettings(sizeBytes: 100 * 1024 * 1024)
///     let db = Firestore.firestore()
///     db.settings = settings
///
/// The cache, the queue and the backend are the daemon's, for all programs of the machine. What is
/// said of them here is not an order but a condition: if the daemon is set up otherwise, every
/// request fails with `failedPrecondition`, which says what to change; what is left out is as the
/// daemon has it.
public final class FirestoreSettings: Sendable {
    private struct Values: Hashable, Sendable {
        var socketPath: String
        var projectID: String?
        var databaseID: String
        var programName: String?
        var connectTimeout: Duration
        var demands = DaemonDemands()
    }

    private let values: Mutex<Values>
    private let queue: Mutex<DispatchQueue?>

    static let defaultDatabaseID = "(default)"

    /// The machine's daemon and its default database, unless told otherwise.
    ///
    /// - Parameter socketPath: `nil` for `FirestoreSettings.defaultSocketPath()`.
    public init(
        socketPath: String? = nil, projectID: String? = nil, databaseID: String = "(default)",
        programName: String? = nil, connectTimeout: Duration = .seconds(10)
    ) {
        values = Mutex(
            Values(
                socketPath: socketPath ?? Self.defaultSocketPath(), projectID: projectID,
                databaseID: databaseID, programName: programName, connectTimeout: connectTimeout))
        queue = Mutex(nil)
    }

    private init(_ values: Values, _ queue: DispatchQueue?) {
        self.values = Mutex(values)
        self.queue = Mutex(queue)
    }

    /// The same settings, to be changed apart.
    public func copy() -> FirestoreSettings {
        FirestoreSettings(all, dispatchQueue)
    }

    private var all: Values { values.withLock { $0 } }

    var demands: DaemonDemands { all.demands }

    // MARK: Ours

    /// Where the daemon's socket is.
    public var socketPath: String {
        get { all.socketPath }
        set { values.withLock { $0.socketPath = newValue } }
    }

    /// The project of the database; `nil` for the daemon's default project.
    public var projectID: String? {
        get { all.projectID }
        set { values.withLock { $0.projectID = newValue } }
    }

    /// The database of the project. `(default)` without a project is the daemon's default database.
    public var databaseID: String {
        get { all.databaseID }
        set { values.withLock { $0.databaseID = newValue } }
    }

    /// The program's name as the daemon shows it to people; `nil` for the name of the executable.
    public var programName: String? {
        get { all.programName }
        set { values.withLock { $0.programName = newValue } }
    }

    /// How long a request waits for a daemon to connect to before it fails as `unavailable`.
    /// Listeners, and writes that the daemon has accepted, wait for ever.
    public var connectTimeout: Duration {
        get { all.connectTimeout }
        set { values.withLock { $0.connectTimeout = newValue } }
    }

    /// On which queue closures are called, one after another if it is serial; `nil` for a thread of
    /// Hearth's.
    public var dispatchQueue: DispatchQueue? {
        get { queue.withLock { $0 } }
        set { queue.withLock { $0 = newValue } }
    }

    // MARK: The daemon's

    /// How the cache is kept; `nil` for however the daemon keeps it.
    public var cacheSettings: (any LocalCacheSettings)? {
        get { all.demands.cache?.settings }
        set { values.withLock { $0.demands.cache = newValue.map(CacheKind.init) } }
    }

    /// The size in bytes above which documents leave the cache, or `FirestoreCacheSizeUnlimited`;
    /// `nil` for the daemon's. `cacheSettings` says the same and more.
    public var cacheSizeBytes: Int64? {
        get { all.demands.cacheByteCountMax }
        set {
            if let newValue { CacheKind.check(newValue) }
            values.withLock { $0.demands.cacheByteCountMax = newValue }
        }
    }

    /// Whether the cache outlives the daemon; `nil` for whatever the daemon does. `cacheSettings`
    /// says the same and more.
    public var isPersistenceEnabled: Bool? {
        get { all.demands.isPersistent }
        set { values.withLock { $0.demands.isPersistent = newValue } }
    }

    /// The backend behind the daemon, as `host` or `host:port`.
    public var host: String {
        get { all.demands.host ?? "firestore.googleapis.com" }
        set { values.withLock { $0.demands.host = newValue } }
    }

    /// Whether the daemon speaks with the backend over TLS. Only an emulator does without.
    public var isSSLEnabled: Bool {
        get { all.demands.isEncrypted ?? true }
        set { values.withLock { $0.demands.isEncrypted = newValue } }
    }

    /// Where the daemon of this machine is found: `$HEARTH_SOCKET` if it is set, else
    /// `/run/hearth/hearth.sock` if it is there, else `$XDG_RUNTIME_DIR/hearth/hearth.sock`.
    public static func defaultSocketPath() -> String {
        SocketPath.find(
            environment: SocketPath.environmentVariable, exists: SocketPath.fileExists)
    }
}

extension FirestoreSettings: Hashable {
    public static func == (lhs: FirestoreSettings, rhs: FirestoreSettings) -> Bool {
        lhs.all == rhs.all && lhs.dispatchQueue === rhs.dispatchQueue
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(all)
    }
}
