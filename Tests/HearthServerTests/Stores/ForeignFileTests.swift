import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// What has a store's place and is no store of this program, or of another database.
struct ForeignFileTests {
    private let folder = TemporaryFolder()
    private let now = Timestamp(seconds: 5, nanoseconds: 0)

    private var configuration: StoreConfiguration {
        StoreConfiguration(path: folder.path + "/x.sqlite", database: DatabaseID(project: "demo"))
    }

    private func batch(_ number: Int64, of user: String) throws -> QueuedBatch {
        let key = try DocumentKey(parsing: "rooms/\(number)")
        return QueuedBatch(
            batch: MutationBatch(
                id: BatchID(number), writtenAt: now,
                promisedAt: Timestamp(promising: number * 1_000_000),
                mutations: [Mutation(key: key, kind: .set(.empty))]),
            user: UserID(user), writer: Writer(uid: 7, gid: 7, pid: 7))
    }

    @Test(arguments: [
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO notes VALUES (1, 'x')",
        "CREATE TABLE store (id INTEGER PRIMARY KEY); PRAGMA user_version = 3",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY); PRAGMA user_version = 99",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY); PRAGMA user_version = -1",
        "PRAGMA application_id = 7", "PRAGMA user_version = 3",
    ])
    func `another program's file in a store's place is set aside, and the intake log taken up`(
        making: String
    ) throws {
        let copy = TemporaryFolder()
        let copied = StoreConfiguration(
            path: copy.path + "/x.sqlite", database: configuration.database)
        do {
            let store = try SQLiteStore(configuration)
            for number in Int64(1)...5 {
                let batch = try batch(number, of: "ada")
                try store.transaction { transaction throws(StoreError) in
                    try transaction.append(batch)
                }
            }
            try #require(store.intake.pendingCount == 4)
            try folder.copy("x.sqlite-intake", to: copy)
        }
        do {
            let foreign = try Connection(path: copied.path, isReadOnly: false)
            try foreign.execute(making)
        }
        let opened = try StoreRescue(copied).open(at: now)
        #expect(opened.losses.count == 1)
        #expect(copy.files.contains("x.sqlite.damaged-5"))
        let saved = try DamageBench.batches(of: UserID("ada"), in: opened.store)
        #expect(saved.map(\.batch.id.rawValue) == [2, 3, 4, 5])
    }

    @Test func `a store that lost its schema version alone keeps its queue`() throws {
        do {
            let store = try SQLiteStore(configuration)
            let batch = try batch(1, of: "ada")
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(batch)
            }
            try store.maintain("PRAGMA user_version = 0")
        }
        let opened = try StoreRescue(configuration).open(at: now)
        let saved = try DamageBench.batches(of: UserID("ada"), in: opened.store)
        #expect(saved.map(\.batch.id.rawValue) == [1])
    }

    @Test func `a Realtime Database's store in the place is refused by its owner's name`() throws {
        let instance = try #require(InstanceID(project: "demo"))
        _ = try RealtimeSQLiteStore(
            RealtimeStoreConfiguration(path: configuration.path, instance: instance))
        let error = #expect(throws: StoreError.self) {
            try StoreRescue(configuration).open(at: now)
        }
        guard case .foreign(let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("it belongs to \(instance)"))
    }

    @Test(arguments: ["missing", "blank"])
    func `a store of which only the reserve is left is a loss that is told`(state: String) throws {
        if state == "blank" {
            let blank = try Connection(path: configuration.path, isReadOnly: false)
            try blank.execute("PRAGMA auto_vacuum = INCREMENTAL")
            _ = try blank.text("PRAGMA journal_mode = WAL")
        }
        try folder.write("", to: "x.sqlite-lock")
        let stored = StoredDatabase(.firestore(configuration.database), at: configuration.path)
        #expect(stored.outlook() == nil)
        let reserve = StoreReserve(besides: configuration.path, byteCount: 64 << 10)
        try reserve.take()
        #expect(stored.outlook()?.reason.contains("the reserve of an open store") == true)
        let opened = try StoreRescue(configuration).open(at: now)
        #expect(opened.losses.count == 1)
        #expect(opened.losses.first?.account.contains("nobody can tell how many") == true)
        #expect(opened.news.count == 1)
        try opened.finish()
    }

    @Test func `a store that was removed because it was blank is new, and nothing is told`() throws
    {
        let database = configuration.database
        let path = StoreFolder.path(of: .firestore(database), in: folder.path)
        let store = DiskStore(
            StoreConfiguration(path: path, database: database),
            readers: OpenReaders<FirestoreContent>())
        do {
            let opened = try store.open()
            try opened.finish()
            try StoreReserve(besides: path, byteCount: 64 << 10).take()
        }
        store.cleanUp()
        try #require(StoreFolder.databases(in: folder.path).isEmpty)
        let opened = try store.open()
        #expect(opened.news.isEmpty)
        #expect(opened.losses.isEmpty)
    }

    @Test func `a database without its own file is listed with what the start saves`() throws {
        let key = EngineKey.firestore(configuration.database)
        let path = StoreFolder.path(of: key, in: folder.path)
        try StoreFolder.makeFolders(aboveStore: path)
        do {
            let store = try SQLiteStore(
                StoreConfiguration(path: path, database: configuration.database))
            for number in Int64(1)...5 {
                let batch = try batch(number, of: "ada")
                try store.transaction { transaction throws(StoreError) in
                    try transaction.append(batch)
                }
            }
            try SystemErrors.renameFile(from: path + "-intake", to: path + "-kept")
        }
        for suffix in StoreFiles.suffixes { try SystemErrors.removeFile(at: path + suffix) }
        #expect(StoreFolder.databases(in: folder.path).isEmpty)
        try SystemErrors.renameFile(from: path + "-kept", to: path + "-intake")
        let stored = StoreFolder.databases(in: folder.path)
        #expect(stored.map(\.path) == [path])
        #expect(stored.first?.key == key)
        #expect(stored.first?.outlook()?.waitingCount == 4)
        #expect(stored.first?.unsent().mayBe == true)
    }
}
