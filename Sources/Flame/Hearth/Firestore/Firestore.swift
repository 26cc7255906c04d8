import HearthModel
import HearthProtocol
import HearthWire
import Synchronization

/// One database of the machine's Hearth daemon: where everything begins.
///
///     let db = Firestore.firestore()
///     try await db.document("rooms/hall").setData(["name": "Hall", "lights": 3])
///     let lit = db.collection("rooms").whereField("lights", isGreaterThan: 0)
///     for try await rooms in lit.snapshots {
///         print(rooms.documents.map(\.documentID))
///     }
///
/// Reads, writes and listeners work at once, with or without a network: the daemon keeps the cache
/// and the queue of writes for all programs of the machine. A `Firestore` connects to the daemon at
/// its first request, and connects again by itself after a restart of the daemon.
public final class Firestore: Sendable {
    let client: Client
    private let currentSettings: Mutex<FirestoreSettings>
    /// The database that `firestore(database:)` was asked for. The settings do not change the
    /// database.
    let databaseName: String?

    private static let shared = Mutex<[String: Firestore]>([:])

    /// The machine's daemon and its default database.
    ///
    /// Every call returns the same object, until the object is terminated.
    public static func firestore() -> Firestore { shared(nil) }

    /// The machine's daemon and another database of its default project.
    ///
    /// Every call with the same name returns the same object, until the object is terminated.
    public static func firestore(database: String) -> Firestore { shared(database) }

    private static func shared(_ database: String?) -> Firestore {
        shared.withLock { shared in
            let name = database ?? FirestoreSettings.defaultDatabaseID
            if let firestore = shared[name], !firestore.client.isClosed { return firestore }
            let firestore = Firestore(settings: FirestoreSettings(), database: database)
            shared[name] = firestore
            return firestore
        }
    }

    /// A daemon and a database of your choice, with a connection of their own.
    public convenience init(settings: FirestoreSettings) {
        self.init(settings: settings, database: nil)
    }

    init(settings: FirestoreSettings, database: String?) {
        let settings = settings.copy()
        currentSettings = Mutex(settings)
        databaseName = database
        var random = SystemRandomNumberGenerator()
        client = Client(Self.configuration(settings, database, using: &random))
        client.callbacks.use(settings.dispatchQueue)
    }

    init(
        settings: FirestoreSettings, client id: Hello.Client, pause: ReconnectPause,
        clock: any ClientClock
    ) {
        let settings = settings.copy()
        currentSettings = Mutex(settings)
        databaseName = nil
        var random = SystemRandomNumberGenerator()
        var configuration = Self.configuration(settings, nil, using: &random)
        configuration.client = id
        client = Client(configuration, pause: pause, clock: clock)
        client.callbacks.use(settings.dispatchQueue)
    }

    deinit {
        client.close()
    }

    /// The daemon, the database, and the program's conditions on both.
    ///
    /// The getter returns a copy. To change the settings, assign the changed copy before the first
    /// request to this `Firestore`. After the first request, an assignment that changes a setting
    /// stops the program.
    public var settings: FirestoreSettings {
        get { currentSettings.withLock { $0.copy() } }
        set {
            let settings = newValue.copy()
            var random = SystemRandomNumberGenerator()
            guard client.configure(Self.configuration(settings, databaseName, using: &random))
            else {
                precondition(
                    settings == self.settings,
                    "The settings of a Firestore that is in use cannot be changed")
                return
            }
            client.callbacks.use(settings.dispatchQueue)
            currentSettings.withLock { $0 = settings }
        }
    }

    /// Demands that the daemon's backend is this emulator. A test then cannot touch another
    /// backend.
    ///
    /// The daemon decides on the backend for all programs: by `upstream.emulator` in its
    /// configuration, or by `FIRESTORE_EMULATOR_HOST` in its environment. If the daemon's backend
    /// is another, every request fails with `failedPrecondition`. As with all settings, call this
    /// before the first request.
    public func useEmulator(withHost host: String, port: Int) {
        let settings = settings
        settings.host = "\(host):\(port)"
        settings.isSSLEnabled = false
        self.settings = settings
    }

    private static func configuration(
        _ settings: FirestoreSettings, _ database: String?,
        using random: inout some RandomNumberGenerator
    ) -> ClientMachine.Configuration {
        let name = database ?? settings.databaseID
        let isDefault = database == nil && name == FirestoreSettings.defaultDatabaseID
        let choice: Hello.Choice<DatabaseID> =
            if let project = settings.projectID {
                .exactly(DatabaseID(project: project, database: name))
            } else {
                isDefault ? .standard : .named(name)
            }
        return ClientMachine.Configuration(
            client: Hello.Client(high: random.next(), low: random.next()),
            program: settings.programName ?? ProgramName.current, database: .firestore(choice),
            demands: settings.demands,
            socketPath: settings.socketPath,
            connectTimeout: settings.connectTimeout)
    }

    /// Enables or disables the library's log of connections and failures on standard error.
    public static func enableLogging(_ isEnabled: Bool) {
        ClientLog.enable(isEnabled)
    }

    // MARK: Places

    /// A collection by its path, such as `rooms` or `rooms/hall/lamps`.
    ///
    /// The path must be a collection's: an odd number of names. Any other path stops the program.
    public func collection(_ collectionPath: String) -> CollectionReference {
        CollectionReference(firestore: self, path: Self.path(collectionPath, isDocument: false))
    }

    /// A document by its path, such as `rooms/hall`.
    ///
    /// The path must be a document's: an even number of names. Any other path stops the program;
    /// see `validatedDocument` for paths that come from outside.
    public func document(_ documentPath: String) -> DocumentReference {
        let path = Self.path(documentPath, isDocument: true)
        guard let key = DocumentKey(path) else {
            preconditionFailure("\"\(documentPath)\" is no document's path")
        }
        return DocumentReference(firestore: self, key: key)
    }

    /// All collections of one id, at any depth.
    ///
    /// If the text is no id, the query throws the error when it is read or listened to.
    public func collectionGroup(_ collectionID: String) -> Query {
        do throws(PathError) {
            let group = try PathSegment(parsing: collectionID)
            return Query(firestore: self, model: HearthModel.Query(collectionGroup: group))
        } catch {
            return Query(
                firestore: self, model: HearthModel.Query(path: .root),
                fault: FirestoreError(.invalidArgument, "\(error)"))
        }
    }

    /// A document by a path that a person typed.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` if the text is no document's path.
    public func validatedDocument(_ documentPath: String) throws -> DocumentReference {
        do throws(PathError) {
            return DocumentReference(firestore: self, key: try DocumentKey(parsing: documentPath))
        } catch {
            throw FirestoreError(.invalidArgument, "\(error)")
        }
    }

    /// A document to refer to, by a path or by a full name, which may be of another database.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` if the text names no document.
    package func validatedReference(_ name: String) throws -> DocumentReference {
        guard let full = DocumentName(name), let key = full.key else {
            return try validatedDocument(name)
        }
        return DocumentReference(firestore: self, key: key, database: full.database)
    }

    /// A collection by a path that a person typed.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` if the text is no collection's path.
    public func validatedCollection(_ collectionPath: String) throws -> CollectionReference {
        do throws(PathError) {
            let path = try ResourcePath(parsing: collectionPath)
            guard !path.count.isMultiple(of: 2) else {
                throw PathError.wrongSegmentCount(path: collectionPath, count: path.count)
            }
            return CollectionReference(firestore: self, path: path)
        } catch {
            throw FirestoreError(.invalidArgument, "\(error)")
        }
    }

    private static func path(_ text: String, isDocument: Bool) -> ResourcePath {
        do throws(PathError) {
            let path = try ResourcePath(parsing: text)
            precondition(
                path.count > 0 && path.count.isMultiple(of: 2) == isDocument,
                "\(PathError.wrongSegmentCount(path: text, count: path.count))")
            return path
        } catch {
            preconditionFailure("\(error)")
        }
    }

    // MARK: Writes

    /// An empty batch of writes, which the backend applies all or none.
    public func batch() -> WriteBatch {
        WriteBatch(firestore: self)
    }
}

extension Firestore {
    /// Asks the daemon once.
    ///
    /// - Throws: `FirestoreError`, or `CancellationError` if the task is cancelled.
    func request(_ request: Request) async throws -> Event {
        let client = client
        let id = client.nextOperation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                client.request(id, request) { continuation.resume(with: $0) }
                if Task.isCancelled { client.cancel(id) }
            }
        } onCancel: {
            client.cancel(id)
        }
    }

    /// The error for an event that does not answer the request.
    static func unexpected(_ event: Event) -> FirestoreError {
        FirestoreError(.internal, "The daemon answered with an event of kind \(event.kind).")
    }
}

extension Firestore: Equatable {
    public static func == (lhs: Firestore, rhs: Firestore) -> Bool { lhs === rhs }
}

extension Firestore: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
