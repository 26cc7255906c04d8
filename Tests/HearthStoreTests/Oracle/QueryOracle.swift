import HearthEngine
import HearthModel
import HearthSQLite
import HearthStore
import HearthTestSupport
import HearthTesting
import Testing

@testable import HearthFirestore

/// Two engines with the same documents, one in memory and one on SQLite, and the facts that must
/// hold for both.
///
/// The documents come and change by chance from a seed: the backend makes some changes, and waiting
/// local writes make the others. A failure names its seed; `HEARTH_ORACLE_SEED=n` runs that one
/// alone.
struct QueryOracle {
    static let database = DatabaseID(project: "p")
    static let ids = ValueChance.ids
    static let collections: [[PathSegment]] = [["c"], ["c", "a", "g"], ["x", "y", "g"], ["g"]]
    private static let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)

    let seed: UInt64
    var chance: QueryChance
    private let memory = MemoryStore()
    private let folder: TemporaryFolder
    private let sqlite: SQLiteStore
    private var memoryEngine: FirestoreEngine
    private var sqliteEngine: FirestoreEngine
    private var readAt: Int64 = 1
    private var requestNumber: UInt64 = 0

    init(seed: UInt64) throws {
        self.seed = seed
        chance = QueryChance(ValueChance(seed: seed, database: Self.database))
        folder = TemporaryFolder()
        sqlite = try SQLiteStore(
            StoreConfiguration(path: "\(folder.path)/oracle.db", database: Self.database))
        let configuration = FirestoreEngine.Configuration(database: Self.database)
        memoryEngine = FirestoreEngine(configuration: configuration, seed: seed)
        sqliteEngine = memoryEngine
        try take(.start)
    }

    /// The seeds to run: the usual seeds, or the seed in the environment.
    static func seeds(_ count: Int) -> [UInt64] {
        if let asked = Environment.number("HEARTH_ORACLE_SEED") { return [asked] }
        return Array(0..<UInt64(count))
    }

    // MARK: What happens

    /// Lets both engines take an input; returns what the one on SQLite asked for.
    @discardableResult
    mutating func take(_ input: FirestoreEngine.Input) throws -> [FirestoreEngine.Action] {
        var next = memoryEngine
        _ = try memory.transaction { store throws(StoreError) in
            try next.take(input, at: Self.now, in: store)
        }
        memoryEngine = next
        next = sqliteEngine
        let actions = try sqlite.transaction { store throws(StoreError) in
            try next.take(input, at: Self.now, in: store)
        }
        sqliteEngine = next
        return actions
    }

    /// Changes some documents, as the backend and local programs do.
    mutating func change(_ count: Int) throws {
        for _ in 0..<count {
            let key = randomKey()
            switch chance.values.number(below: 10) {
            case 0...5: try put(remoteDocument(key))
            case 6: try forget(key)
            case 7: try write(Mutation(key: key, kind: .delete))
            case 8: try write(Mutation(key: key, kind: .set(chance.fieldsOfDocument())))
            default: try write(patch(key))
            }
        }
    }

    /// Fires the timer of backfilling until it is not set any more.
    mutating func backfill() throws {
        for _ in 0..<10_000 {
            let actions = try take(.timerFired(.indexBackfill))
            let goesOn = actions.contains {
                if case .schedule(.indexBackfill, _) = $0 { true } else { false }
            }
            if !goesOn { return }
        }
        Issue.record("seed \(seed): backfilling does not end")
    }

    /// Makes indexes, which list nothing yet but what changes.
    mutating func configure(_ indexes: [FieldIndex]) throws {
        requestNumber += 1
        let id = RequestID(session: 1, number: requestNumber)
        try take(.manageIndexes(id, .configure(indexes)))
    }

    /// Takes a document as the backend has it.
    mutating func put(_ key: DocumentKey, _ fields: MapValue) throws -> Document {
        readAt += 1
        var document = Document.found(key, at: version(readAt), fields)
        document.readAt = version(readAt)
        try put(document)
        return document
    }

    /// Makes and fills the indexes that the queries want.
    mutating func index(for queries: [Query]) throws {
        var indexes: [FieldIndex] = []
        for query in queries {
            for index in QueryPlanner(query.firstOfOrder).wantedIndexes()
            where !indexes.contains(index) && !chance.values.once(in: 5) {
                indexes.append(index)
            }
        }
        try configure(Array(indexes.prefix(IndexLimits.indexCountMax)))
        try backfill()
    }

    private mutating func put(_ document: Document) throws {
        for store in stores {
            try store.transaction { store throws(StoreError) in
                try store.setRemoteDocument(document)
            }
        }
    }

    private func forget(_ key: DocumentKey) throws {
        for store in stores {
            try store.transaction { store throws(StoreError) in
                try store.removeRemoteDocument(key)
            }
        }
    }

    private var stores: [any FirestoreStore] { [memory, sqlite] }

    private mutating func write(_ mutation: Mutation) throws {
        requestNumber += 1
        let request = WriteRequest(
            id: RequestID(session: 1, number: requestNumber), writer: author,
            mutations: [mutation])
        try take(.write(request))
    }

    private mutating func randomKey() -> DocumentKey {
        let path = chance.values.one(of: Self.collections) + [chance.values.one(of: Self.ids)]
        guard let key = DocumentKey(ResourcePath(path)) else { preconditionFailure("\(path)") }
        return key
    }

    private mutating func remoteDocument(_ key: DocumentKey) -> Document {
        readAt += 1
        var document: Document =
            chance.values.once(in: 8)
            ? .missing(key, at: version(readAt))
            : .found(key, at: version(readAt), chance.fieldsOfDocument())
        document.readAt = version(readAt)
        return document
    }

    private mutating func patch(_ key: DocumentKey) -> Mutation {
        let field = chance.values.one(of: QueryChance.fields)
        var fields = MapValue.empty
        fields.set(field, to: chance.values.value())
        return Mutation(
            key: key, kind: .patch(fields, FieldMask([field])),
            precondition: chance.values.once(in: 2) ? .exists(true) : .none)
    }

    // MARK: What is true

    /// Every local document, read from the memory store one by one.
    func localDocuments() throws -> [Document] {
        let local = memoryEngine.local
        return try memory.transaction { store throws(StoreError) in
            var documents: [Document] = []
            for collection in Self.collections {
                for id in Self.ids {
                    guard let key = DocumentKey(ResourcePath(collection).appending(id)) else {
                        continue
                    }
                    documents.append(try local.localDocument(key, store))
                }
            }
            return documents
        }
    }

    /// What a query must find: matched one by one, sorted, cut.
    static func truth(of query: Query, in documents: [Document], _ dialect: Dialect = .cache)
        -> [DocumentKey]
    {
        let all = query.order.sorted(documents.filter { query.matches($0, dialect) }).map(\.key)
        guard let limit = query.limit else { return all }
        return limit.end == .first ? Array(all.prefix(limit.count)) : Array(all.suffix(limit.count))
    }

    /// What a cached read of SQLite finds, and how.
    mutating func ask(_ query: Query) throws -> (keys: [DocumentKey], plan: QueryPlanDescription) {
        requestNumber += 1
        let id = RequestID(session: 2, number: requestNumber)
        var keys: [DocumentKey]?
        var plan: QueryPlanDescription?
        for action in try take(.get(id, query, .cache)) {
            if case .answer(id, let snapshot) = action {
                keys = snapshot.documents.documents.map(\.key)
            }
        }
        for action in try take(.explain(id, query)) {
            if case .explained(id, let description) = action { plan = description }
        }
        return (try #require(keys), try #require(plan))
    }
}
