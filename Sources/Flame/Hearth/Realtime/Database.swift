public import Dispatch
import Glibc
import HearthEngine
import HearthModel
import HearthWire
import Synchronization

/// One Realtime Database of the machine's Hearth daemon: where everything about it begins.
///
///     let ref = Database.database().reference()
///     try await ref.child("rooms/hall").setValue(["name": "Hall", "lights": 3])
///     for try await rooms in ref.child("rooms").values {
///         print(rooms.childrenCount)
///     }
///
/// Reads, writes and observers work at once, with or without a network: the daemon keeps the cache
/// and the queue of writes for all programs of the machine. A `Database` connects to the daemon at
/// its first request, and connects again by itself after a restart of the daemon: the library
/// restores observers, unanswered writes and `onDisconnect` orders.
public final class Database: Sendable {
    let client: Client
    let observers: Observers
    /// Runs the blocks of transactions, so that a block never waits for an observer's closure.
    let transactions = CallbackThread()
    private let settings: Mutex<DatabaseSettings>
    private let pushIDs = Mutex(PushIDGenerator())
    private let queue = Mutex<DispatchQueue?>(nil)

    private static let shared = Mutex<[InstanceID?: Database]>([:])

    /// The machine's daemon and its instance. Every call returns the same object.
    public static func database() -> Database { shared(DatabaseSettings()) }

    /// The machine's daemon and an instance by its address. Every call with the same address returns
    /// the same object.
    ///
    /// The program stops if the text is no address of an instance.
    public static func database(url: String) -> Database { shared(DatabaseSettings(url: url)) }

    private static func shared(_ settings: DatabaseSettings) -> Database {
        let instance = settings.instance
        return shared.withLock { shared in
            if let database = shared[instance] { return database }
            let database = Database(settings: settings)
            shared[instance] = database
            return database
        }
    }

    /// The shared databases that a program has asked for anything.
    static var inUse: [Database] {
        shared.withLock { $0.values.filter(\.client.isInUse) }
    }

    /// A daemon and an instance of your choice, with a connection of their own.
    public convenience init(settings: DatabaseSettings) {
        var random = SystemRandomNumberGenerator()
        let id = Hello.Client(high: random.next(), low: random.next())
        self.init(settings: settings, client: id, pause: ReconnectPause(), clock: SystemClock())
    }

    init(
        settings: DatabaseSettings, client id: Hello.Client, pause: ReconnectPause,
        clock: any ClientClock
    ) {
        self.settings = Mutex(settings)
        client = Client(Self.configuration(settings, id), pause: pause, clock: clock)
        observers = Observers(client)
    }

    deinit {
        client.close()
        transactions.close()
    }

    private static func configuration(
        _ settings: DatabaseSettings, _ client: Hello.Client
    ) -> ClientMachine.Configuration {
        ClientMachine.Configuration(
            client: client, program: settings.programName ?? ProgramName.current,
            database: .realtime(settings.choice),
            demands: settings.demands, socketPath: settings.socketPath,
            connectTimeout: settings.connectTimeout)
    }

    /// The instance, once the program or the daemon has named it.
    var instance: InstanceID? {
        if let instance = settings.withLock(\.instance) { return instance }
        guard case .realtime(let instance)? = client.engine else { return nil }
        return instance
    }

    // MARK: Places

    /// The root.
    public func reference() -> DatabaseReference {
        DatabaseReference(database: self, path: .root)
    }

    /// A place by its path: keys with slashes between them.
    ///
    /// The program stops if the text is no path; see `validatedReference` for paths that come from
    /// outside.
    public func reference(withPath path: String) -> DatabaseReference { reference().child(path) }

    /// A place by a path that a person typed.
    ///
    /// - Throws: `DatabaseError` `invalidArgument` if the text is no path.
    public func validatedReference(
        withPath path: String
    ) throws(DatabaseError) -> DatabaseReference {
        try reference().validatedChild(path)
    }

    /// A place by an address of this database.
    ///
    /// The program stops if the text is no address, or the address of a place in another database.
    /// Until the daemon has named its database, every address is taken.
    public func reference(fromURL databaseURL: String) -> DatabaseReference {
        guard let (instance, path) = Self.place(databaseURL) else {
            preconditionFailure("\"\(databaseURL)\" is no address of a Realtime Database")
        }
        if let own = self.instance {
            precondition(
                instance == own, "\"\(databaseURL)\" lies in another database than \(own)")
        }
        return reference(withPath: path)
    }

    private static func place(_ url: String) -> (InstanceID, String)? {
        let query = url.utf8Parts("?", splitCountMax: 1)
        let parts = query[0].utf8Parts("/", splitCountMax: 3)
        guard parts.count > 2 else { return nil }
        let host = parts[..<3].joined(separator: "/") + (query.count > 1 ? "/?" + query[1] : "")
        guard let instance = InstanceID(url: host) else { return nil }
        return (instance, parts.count > 3 ? unescaped(parts[3]) : "")
    }

    /// The text with each `+` replaced by a space, and each `%` and its two digits by their byte.
    ///
    /// - Source: firebase-js-sdk `core/util/libs/parser.ts`, the reading of a path.
    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let next = rest.popFirst() {
            let byte = next == UInt8(ascii: "+") ? UInt8(ascii: " ") : next
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2,
                let value = UInt8(digits, radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a path below a place.
    ///
    /// - Throws: `invalidArgument` if the text is no path.
    static func path(
        _ text: String, below base: RealtimePath
    ) throws(DatabaseError) -> RealtimePath {
        if let path = RealtimePath(text), base.isRoot || !path.isInfo {
            return base.appending(path)
        }
        let fault = text.utf8Parts("/").compactMap { part in
            part.isEmpty ? nil : ChildKey.fault(of: part).map { "\"\(part)\" is no key: \($0)" }
        }.first
        throw DatabaseError(
            .invalidArgument,
            "\"\(text)\" is no path of the Realtime Database: "
                + "\(fault ?? ".info stands at the root alone").")
    }

    /// A key for `childByAutoId()`.
    func nextPushID() -> ChildKey {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let now =
            Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000 + client.serverTimeOffset
        var random = SystemRandomNumberGenerator()
        return pushIDs.withLock { $0.next(at: max(0, now), using: &random) }
    }

    /// The error for an event that does not answer the request.
    static func unexpected(_ event: Event) -> DatabaseError {
        DatabaseError(.internal, "The daemon answered with an event of kind \(event.kind).")
    }
}

/// Conditions on the daemon, and where closures run. All must be set before the first request.
extension Database {
    /// Whether the program needs a cache and a queue that outlive the daemon.
    ///
    /// The daemon decides for all programs: if it keeps nothing on disk, every request of a program
    /// that sets this to true fails with `failedPrecondition`. False is no condition.
    public var isPersistenceEnabled: Bool {
        get { settings.withLock { $0.demands.isPersistent ?? false } }
        set { demand { $0.isPersistent = newValue ? true : nil } }
    }

    /// The size in bytes above which the least used data leaves the cache.
    ///
    /// The daemon decides for all programs: if the daemon's size differs, every request fails with
    /// `failedPrecondition`, and the message says what to change. 0 stands for no condition.
    public var persistenceCacheSizeBytes: UInt {
        get { settings.withLock { UInt($0.demands.cacheByteCountMax ?? 0) } }
        set { demand { $0.cacheByteCountMax = newValue == 0 ? nil : Int64(clamping: newValue) } }
    }

    /// The queue that calls the program's closures; `nil` for a thread of Hearth's.
    ///
    /// A serial queue calls the closures one after another.
    public var callbackQueue: DispatchQueue? {
        get { queue.withLock { $0 } }
        set {
            queue.withLock { $0 = newValue }
            client.callbacks.use(newValue)
        }
    }

    /// Demands that the daemon's backend is this emulator. A test then cannot touch another
    /// backend.
    ///
    /// The daemon decides on the backend for all programs: by `realtime.emulator` in its
    /// configuration, or by `FIREBASE_DATABASE_EMULATOR_HOST` in its environment. If the daemon's
    /// backend is another, every request fails with `failedPrecondition`.
    public func useEmulator(withHost host: String, port: Int) {
        demand { demands in
            demands.host = "\(host):\(port)"
            demands.isEncrypted = false
        }
    }

    /// Enables or disables the library's log of connections and failures on standard error.
    public static func setLoggingEnabled(_ enabled: Bool) { ClientLog.enable(enabled) }

    private func demand(_ change: (inout DaemonDemands) -> Void) {
        settings.withLock { settings in
            let old = settings
            change(&settings.demands)
            guard settings != old else { return }
            precondition(
                client.demand(settings.demands),
                "The settings of a Database that is in use cannot be changed")
        }
    }
}

extension Database: Equatable {
    /// Whether both are the same object.
    public static func == (lhs: Database, rhs: Database) -> Bool { lhs === rhs }
}

extension Database: Hashable {
    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
