import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// An engine on a SQLite store that can be closed and opened again.
final class IndexBench {
    private let folder = TemporaryFolder()
    private let collection: CollectionPolicy
    private let surveys: SurveyTerms?
    private(set) var store: SQLiteStore
    private(set) var engine: FirestoreEngine
    private var requestNumber: UInt64 = 0

    init(
        collection: CollectionPolicy = .leastUsed(cacheByteCountMax: 1 << 20),
        surveys: SurveyTerms? = nil
    ) throws {
        self.collection = collection
        self.surveys = surveys
        store = try SQLiteStore(StoreBench.configuration(in: folder))
        engine = Self.engine(collection, surveys)
        try take(.start)
    }

    private static func engine(
        _ collection: CollectionPolicy, _ surveys: SurveyTerms?
    ) -> FirestoreEngine {
        var configuration = FirestoreEngine.Configuration(
            database: StoreBench.database, collection: collection)
        configuration.surveys = surveys
        return FirestoreEngine(configuration: configuration, seed: 1)
    }

    /// The size of the file.
    var fileByteCount: Int {
        get throws {
            try store.checkpoint()
            return folder.byteCount(of: "hearth.db")
        }
    }

    /// What a statement on a connection of its own answers with.
    func number(_ sql: String) throws -> Int64? {
        store.showWrites()
        return try Connection(path: store.configuration.path, isReadOnly: true).number(sql)
    }

    /// Ends the program and starts it again; returns what the engine asked for first.
    @discardableResult
    func restart() throws -> [FirestoreEngine.Action] {
        let configuration = store.configuration
        let other = try SQLiteStore(
            StoreConfiguration(
                path: "\(folder.path)/other.db", database: StoreBench.database))
        store = other  // The lock must be free before the file is opened again.
        store = try SQLiteStore(configuration)
        engine = Self.engine(collection, surveys)
        return try take(.start)
    }

    @discardableResult
    func take(_ input: FirestoreEngine.Input) throws -> [FirestoreEngine.Action] {
        var next = engine
        let actions = try store.transaction { store throws(StoreError) in
            try next.take(input, at: Timestamp(seconds: 1_000, nanoseconds: 0), in: store)
        }
        engine = next
        return actions
    }

    /// Takes an input, and the surveys that it asks for, until none is on its way.
    ///
    /// - Returns: What all turns asked for.
    func takeWithSurveys(_ input: FirestoreEngine.Input) throws -> [FirestoreEngine.Action] {
        var actions = try take(input)
        var place = 0
        while place < actions.count {
            if case .survey(.begin(let order)) = actions[place] {
                actions += try take(.surveyed(order.id, answer(order)))
            }
            place += 1
        }
        return actions
    }

    /// What comes of a survey now.
    func answer(_ order: SurveyOrder) throws -> SurveyOutcome {
        try store.transaction { transaction throws(StoreError) in
            try order.answer(from: transaction)
        }
    }

    func request() -> RequestID {
        requestNumber += 1
        return RequestID(session: 1, number: requestNumber)
    }

    /// Stores documents `a/0`, `a/1`, ... as the backend would have told of them.
    func fill(_ count: Int, _ fields: (Int) -> MapValue) throws {
        try store.transaction { store throws(StoreError) in
            for number in 0..<count {
                try store.setRemoteDocument(found("a/\(number)", fields(number)))
            }
        }
    }

    func explain(_ query: Query) throws -> QueryPlanDescription {
        let id = request()
        for action in try take(.explain(id, query)) {
            if case .explained(id, let description) = action { return description }
        }
        throw StoreError.io("no explanation came")
    }

    func ask(_ query: Query) throws -> (keys: [String], actions: [FirestoreEngine.Action]) {
        let id = request()
        let actions = try take(.get(id, query, .cache))
        for action in actions {
            if case .answer(id, let snapshot) = action {
                return (snapshot.documents.documents.map(\.key.documentID), actions)
            }
        }
        throw StoreError.io("no answer came")
    }

    func manage(_ request: IndexRequest) throws -> IndexReport {
        let id = self.request()
        for action in try take(.manageIndexes(id, request)) {
            if case .indexes(id, let report) = action { return report }
        }
        throw StoreError.io("no report came")
    }

    /// Fires a timer until it is no longer set to come back at once; returns how often.
    @discardableResult
    func fire(_ timer: TimerID) throws -> Int {
        for count in 1...100_000 {
            let comesBack = try take(.timerFired(timer)).contains {
                if case .schedule(timer, let delay) = $0 { delay < .seconds(1) } else { false }
            }
            if !comesBack { return count }
        }
        throw StoreError.io("\(timer) does not end")
    }

    /// Whether a turn asked for backfilling.
    static func wantsBackfill(_ actions: [FirestoreEngine.Action]) -> Bool {
        actions.contains { if case .schedule(.indexBackfill, _) = $0 { true } else { false } }
    }
}
