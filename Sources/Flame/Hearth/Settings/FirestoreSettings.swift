public import Dispatch
import Synchronization

/// The daemon and the database of a `Firestore`, and the program's conditions on both.
///
///     let settings = FirestoreSettings()
///     settings.cacheSettings = PersistentCacheSettings(sizeBytes: 100 * 1024 * 1024)
///     let db = Firestore.firestore()
///     db.settings = settings
///
/// The daemon decides on the cache, the queue and the backend for all programs of the machine. So
/// the settings about these three are conditions, not orders: if the daemon is set up otherwise,
/// every request fails with `failedPrecondition`, whose message says what to change. A setting that
/// is left out is no condition.
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

    /// The machine's daemon and its default database, unless the parameters say otherwise.
    ///
    /// - Parameters:
    ///   - socketPath: The path of the daemon's socket; `nil` for
    ///     `FirestoreSettings.defaultSocketPath()`.
    ///   - projectID: The project of the database; `nil` for the daemon's default project.
    ///   - databaseID: The database of the project. `(default)` without a project is the daemon's
    ///     default database.
    ///   - programName: The program's name for people; `nil` for the name of the executable.
    ///   - connectTimeout: How long a request waits for a connection to the daemon.
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

    /// A copy of the settings. A change of the copy does not change the original.
    public func copy() -> FirestoreSettings {
        FirestoreSettings(all, dispatchQueue)
    }

    private var all: Values { values.withLock { $0 } }

    var demands: DaemonDemands { all.demands }

    // MARK: Ours

    /// The path of the daemon's socket.
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

    /// How long a request waits for a connection to the daemon before the request fails with
    /// `unavailable`. Listeners, and writes that the daemon has accepted, wait for ever.
    public var connectTimeout: Duration {
        get { all.connectTimeout }
        set { values.withLock { $0.connectTimeout = newValue } }
    }

    /// The queue that calls the program's closures; `nil` for a thread of Hearth's.
    ///
    /// A serial queue calls the closures one after another.
    public var dispatchQueue: DispatchQueue? {
        get { queue.withLock { $0 } }
        set { queue.withLock { $0 = newValue } }
    }

    // MARK: The daemon's

    /// How the daemon must keep the cache; `nil` for no condition.
    public var cacheSettings: (any LocalCacheSettings)? {
        get { all.demands.cache?.settings }
        set { values.withLock { $0.demands.cache = newValue.map(CacheKind.init) } }
    }

    /// The size in bytes above which documents leave the cache, or `FirestoreCacheSizeUnlimited`;
    /// `nil` for no condition. `cacheSettings` can say the same and more.
    public var cacheSizeBytes: Int64? {
        get { all.demands.cacheByteCountMax }
        set {
            if let newValue { CacheKind.check(newValue) }
            values.withLock { $0.demands.cacheByteCountMax = newValue }
        }
    }

    /// Whether the cache outlives the daemon; `nil` for no condition. `cacheSettings` can say the
    /// same and more.
    public var isPersistenceEnabled: Bool? {
        get { all.demands.isPersistent }
        set { values.withLock { $0.demands.isPersistent = newValue } }
    }

    /// The backend behind the daemon, as `host` or `host:port`.
    public var host: String {
        get { all.demands.host ?? "firestore.googleapis.com" }
        set { values.withLock { $0.demands.host = newValue } }
    }

    /// Whether the daemon speaks with the backend over TLS. Only an emulator speaks without TLS.
    public var isSSLEnabled: Bool {
        get { all.demands.isEncrypted ?? true }
        set { values.withLock { $0.demands.isEncrypted = newValue } }
    }

    /// The path of this machine's daemon: `$HEARTH_SOCKET` if the variable is set, else
    /// `/run/hearth/hearth.sock` if the file exists, else `$XDG_RUNTIME_DIR/hearth/hearth.sock`.
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
