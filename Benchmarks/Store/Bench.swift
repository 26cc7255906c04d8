import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore

/// An engine on a SQLite store, driven input by input as its host drives it.
final class Bench {
    /// A failure of the bench itself.
    struct Failure: Error {
        let reason: String
    }

    private let configuration: StoreConfiguration
    private var opened: SQLiteStore?
    private var engine: FirestoreEngine
    private var time = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    private var lastNumber: UInt64 = 0

    /// - Parameter keepsLog: Whether accepted writes go to the intake log first.
    init(path: String, keepsLog: Bool = true) throws {
        var configuration = StoreConfiguration(path: path, database: SampleDocuments.database)
        if !keepsLog { configuration.intakeByteCount = 0 }
        self.configuration = configuration
        engine = Self.makeEngine()
        try open()
    }

    /// The open store.
    var store: SQLiteStore {
        get throws {
            guard let opened else { throw Failure(reason: "the store is closed") }
            return opened
        }
    }

    /// Opens the store and starts an engine on it.
    func open() throws {
        opened = try SQLiteStore(configuration)
        try take([.start])
    }

    /// Closes the store and drops what its engine knew, as a daemon that ends.
    func close() {
        opened = nil
        engine = Self.makeEngine()
    }

    private static func makeEngine() -> FirestoreEngine {
        FirestoreEngine(
            configuration: FirestoreEngine.Configuration(
                database: SampleDocuments.database,
                collection: .leastUsed(cacheByteCountMax: nil)),
            seed: 1)
    }

    /// Takes inputs as one group, all turns as one step, as the host does.
    @discardableResult
    func take(_ inputs: [FirestoreEngine.Input]) throws -> [FirestoreEngine.Action] {
        time = time.advanced(by: .milliseconds(1))
        let store = try store
        try store.begin()
        let actions = try store.turn { transaction throws(StoreError) in
            var actions: [FirestoreEngine.Action] = []
            for input in inputs { actions += try engine.take(input, at: time, in: transaction) }
            return actions
        }
        try store.commit()
        return actions
    }

    /// A name for a request that was never used.
    func request() -> RequestID {
        lastNumber += 1
        return RequestID(session: 1, number: lastNumber)
    }

    /// Asks the cache.
    @discardableResult
    func ask(_ query: Query) throws -> Int {
        let id = request()
        for action in try take([.get(id, query, .cache)]) {
            if case .answer(id, let snapshot) = action { return snapshot.documents.count }
        }
        throw Failure(reason: "\(query.canonicalID) was not answered")
    }

    /// How a query is answered.
    func explain(_ query: Query) throws -> QueryPlanDescription {
        let id = request()
        for action in try take([.explain(id, query)]) {
            if case .explained(id, let description) = action { return description }
        }
        throw Failure(reason: "\(query.canonicalID) was not explained")
    }

    /// A write of a document by a local program.
    func write(_ number: Int, _ fields: MapValue, id: DocumentKey? = nil)
        -> FirestoreEngine.Input
    {
        .write(
            WriteRequest(
                id: request(), writer: Writer(uid: 1, gid: 1, pid: 1),
                mutations: [Mutation(key: id ?? SampleDocuments.key(number), kind: .set(fields))]))
    }

    // MARK: The backend's end

    /// Listens to a query that shows nothing here, so that the cost is the cache's, and opens the
    /// watch stream. Returns the target's name on it.
    func startWatching() throws -> WireTargetID {
        var query = Query(path: SampleDocuments.collection)
        query.filters = [.field(FieldPath(["elsewhere"]), .equal, .integer(1))]
        let actions = try take([
            .listen(ListenerID(session: 1, number: 1), query, ListenOptions())
        ])
        for case .upstream(.openWatch(let number, as: _)) in actions {
            for case .upstream(.listen(_, let request)) in try take([
                .upstream(.watchOpened(number))
            ]) {
                let added = TargetWatchChange(kind: .added, targets: [request.wireID])
                try take([.upstream(.watched(number, .target(added)))])
                return request.wireID
            }
        }
        throw Failure(reason: "nothing is watched")
    }

    /// Tells of documents in one event, as one group.
    func tell(_ documents: [Document], of target: WireTargetID, on number: StreamNumber) throws {
        var inputs: [FirestoreEngine.Input] = documents.map {
            .upstream(
                .watched(
                    number,
                    .document(
                        DocumentWatchChange(
                            updated: [target], removed: [], key: $0.key, document: $0))))
        }
        let version = documents.last?.version ?? .zero
        let token = ResumeToken(Array("\(version)".utf8))
        inputs += [
            .upstream(
                .watched(
                    number,
                    .target(
                        TargetWatchChange(
                            kind: .noChange, targets: [target], resumeToken: token)))),
            .upstream(
                .watched(
                    number,
                    .target(TargetWatchChange(kind: .noChange, targets: [], readAt: version)))),
        ]
        try take(inputs)
    }
}
