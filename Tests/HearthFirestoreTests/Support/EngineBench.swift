import HearthEngine
import HearthFirestore
import HearthModel

/// An engine on a memory store, driven input by input, with a record of its actions.
struct EngineBench {
    private(set) var engine: FirestoreEngine
    let store: MemoryStore
    private(set) var actions: [FirestoreEngine.Action] = []
    var now = start
    /// How far the wall clock is from `now`, which runs evenly.
    var clockError = Duration.zero

    /// Starts an engine, on a fresh store or on one that another engine has used.
    init(
        on store: MemoryStore = MemoryStore(), seed: UInt64 = 1, at now: Timestamp = start,
        collection: CollectionPolicy = .leastUsed(cacheByteCountMax: 100 << 20),
        surveys: SurveyTerms? = nil, bundleSlices: BundleSlices = BundleSlices(),
        gatheredByteCountMax: Int = WatchChangeAggregator.byteCountMax
    ) throws {
        self.store = store
        self.now = now
        var configuration = FirestoreEngine.Configuration(
            database: DatabaseID(project: "p"), collection: collection)
        configuration.surveys = surveys
        configuration.bundleSlices = bundleSlices
        configuration.gatheredByteCountMax = gatheredByteCountMax
        engine = FirestoreEngine(configuration: configuration, seed: seed)
        try take(.start)
    }

    /// Takes an input and returns what it asked for.
    @discardableResult
    mutating func take(_ input: FirestoreEngine.Input) throws -> [FirestoreEngine.Action] {
        var next = engine
        let time = now.advanced(by: clockError)
        next.note(uptime: now.since(start))
        actions = try store.transaction { transaction throws(StoreError) in
            try next.take(input, at: time, in: transaction)
        }
        engine = next
        return actions
    }

    /// Tells the engine that the store has failed in the turn of an input.
    mutating func fail(
        _ input: FirestoreEngine.Input, _ error: StoreError
    ) -> [FirestoreEngine.Action] {
        engine.turnFailed(input, error, at: now)
    }

    /// Reads from the store what an engine may read.
    func read<Value>(_ body: (any FirestoreTransaction) throws -> Value) throws -> Value {
        try store.begin()
        defer { store.rollback() }
        let result = try store.turn { transaction throws(StoreError) in
            Result { try body(transaction) }
        }
        return try result.get()
    }

    /// Opens the write stream that the engine asked for, as the given one.
    mutating func openWriteStream(_ number: UInt64) throws {
        try take(.upstream(.writeOpened(StreamNumber(number))))
        try take(.upstream(.writeHandshaken(StreamNumber(number), [7])))
    }

    /// Lets the backend refuse what it was sent first.
    mutating func refuse(_ number: UInt64, _ error: HearthError) throws {
        try take(.upstream(.writeClosed(StreamNumber(number), error)))
    }

    /// Lets the backend commit what it was sent first.
    mutating func commit(_ number: UInt64, at microseconds: Int64) throws {
        let answer = WriteAnswer(
            token: [8], committedAt: version(microseconds),
            results: [Mutation.Result(version: version(microseconds))])
        try take(.upstream(.writeAnswered(StreamNumber(number), answer)))
    }
}

/// A write of one document by a client that numbers its writes.
func request(
    _ number: UInt64, sequence: UInt64? = nil, _ path: String = "rooms/hall",
    session: UInt64 = 1, wasSentElsewhere: Bool = false
) -> WriteRequest {
    WriteRequest(
        id: RequestID(session: session, number: number),
        identity: sequence.map {
            WriteIdentity(uid: 1000, client: ClientID(high: 1, low: 2), sequence: $0)
        },
        writer: Writer(uid: 1000, gid: 1000, pid: 42, program: "test"),
        mutations: [Mutation(key: key(path), kind: .set(["n": .integer(Int64(number))]))],
        wasSentElsewhere: wasSentElsewhere)
}
