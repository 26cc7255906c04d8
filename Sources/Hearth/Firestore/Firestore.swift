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
/// and the queue of writes for all programs of the machine. It connects when it is first asked for
/// something, and again when the daemon has been restarted; nothing need be done about that.
public final class Firestore: Sendable {
    /// Which daemon and which database this is.
    public let settings: FirestoreSettings
    let client: Client

    private static let shared = Mutex<Firestore?>(nil)

    /// The machine's daemon and its default database: the same object every time.
    public static func firestore() -> Firestore {
        shared.withLock { shared in
            if let shared { return shared }
            let firestore = Firestore(settings: FirestoreSettings())
            shared = firestore
            return firestore
        }
    }

    /// A daemon and a database of your choice, with a connection of its own.
    public init(settings: FirestoreSettings) {
        self.settings = settings
        var random = SystemRandomNumberGenerator()
        client = Client(Self.configuration(settings, using: &random))
    }

    init(
        settings: FirestoreSettings, client id: Hello.Client, pause: ReconnectPause,
        clock: any ClientClock
    ) {
        self.settings = settings
        var random = SystemRandomNumberGenerator()
        var configuration = Self.configuration(settings, using: &random)
        configuration.client = id
        client = Client(configuration, pause: pause, clock: clock)
    }

    deinit {
        client.close()
    }

    private static func configuration(
        _ settings: FirestoreSettings, using random: inout some RandomNumberGenerator
    ) -> ClientMachine.Configuration {
        ClientMachine.Configuration(
            client: Hello.Client(high: random.next(), low: random.next()),
            program: settings.programName ?? ProgramName.current,
            database: settings.projectID.map {
                DatabaseID(project: $0, database: settings.databaseID)
            },
            socketPath: settings.socketPath,
            connectTimeout: settings.connectTimeout)
    }

    // MARK: Places

    /// A collection by its path, such as `rooms` or `rooms/hall/lamps`.
    ///
    /// The path must be a collection's: an odd number of names. Anything else stops the program.
    public func collection(_ collectionPath: String) -> CollectionReference {
        CollectionReference(firestore: self, path: Self.path(collectionPath, isDocument: false))
    }

    /// A document by its path, such as `rooms/hall`.
    ///
    /// The path must be a document's: an even number of names. Anything else stops the program; see
    /// `validatedDocument` for paths that come from outside.
    public func document(_ documentPath: String) -> DocumentReference {
        let path = Self.path(documentPath, isDocument: true)
        guard let key = DocumentKey(path) else {
            preconditionFailure("\"\(documentPath)\" is no document's path")
        }
        return DocumentReference(firestore: self, key: key)
    }

    /// All collections of one id, wherever they are.
    public func collectionGroup(_ collectionID: String) -> Query {
        Query(firestore: self, model: HearthModel.Query(collectionGroup: collectionID))
    }

    /// A document by a path that a person typed.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` if it is no document's path.
    public func validatedDocument(_ documentPath: String) throws -> DocumentReference {
        do throws(PathError) {
            return DocumentReference(firestore: self, key: try DocumentKey(parsing: documentPath))
        } catch {
            throw FirestoreError(.invalidArgument, "\(error)")
        }
    }

    /// A collection by a path that a person typed.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` if it is no collection's path.
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

    /// Writes that stand or fall together, to be filled and committed.
    public func batch() -> WriteBatch {
        WriteBatch(firestore: self)
    }

    /// Waits until the backend has answered the writes that were accepted before: of the whole
    /// machine, unless told otherwise.
    public func waitForPendingWrites(
        of writers: PendingWriters = .everyProgram
    ) async throws {
        switch writers {
        case .everyProgram: _ = try await request(.waitForPendingWrites)
        // The last batch is filled in when the request goes out.
        case .thisFirestore: _ = try await request(.waitForOwnWrites(last: .none))
        }
    }

    // MARK: Everything at once

    /// Calls `listener` when all listeners have been told of the latest change.
    public func addSnapshotsInSyncListener(
        _ listener: @escaping @Sendable () -> Void
    ) -> any ListenerRegistration {
        let id = client.nextOperation()
        let callbacks = client.callbacks
        client.listenToSync(id) { callbacks.enqueue(listener) }
        return ClientListenerRegistration(client: client, id: id, mailbox: nil)
    }

    /// Wants the network to be used, which is so from the start.
    public func enableNetwork() async throws {
        _ = try await request(.voteNetwork(isEnabled: true))
    }

    /// Wants the network to be left alone.
    ///
    /// The daemon stays away from the backend while every program that uses the database wants so;
    /// while any other wants it, this program goes on sharing what comes. The wish ends with
    /// `enableNetwork`, with `terminate`, or with the program.
    public func disableNetwork() async throws {
        _ = try await request(.voteNetwork(isEnabled: false))
    }

    /// Ends the connection and everything that waits for it. Writes that the daemon has accepted go
    /// on.
    ///
    /// What is under way fails with `cancelled`, later calls with `failedPrecondition`.
    public func terminate() {
        client.close()
    }
}

/// Whose writes to wait for.
public enum PendingWriters: Hashable, Sendable {
    /// Those of every program of the machine.
    case everyProgram
    /// Those that were made through this `Firestore`.
    case thisFirestore
}

extension Firestore {
    /// Asks the daemon once.
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

    /// The error for an event that does not answer what was asked.
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
