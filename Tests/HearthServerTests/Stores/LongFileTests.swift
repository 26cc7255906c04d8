import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// Files beside a store that somebody has made longer than any store makes them.
@Suite(.timeLimit(.minutes(1)))
struct LongFileTests {
    private let now = Timestamp(seconds: 5, nanoseconds: 0)

    private func batch(_ number: Int64) throws -> QueuedBatch {
        let key = try DocumentKey(parsing: "rooms/\(number)")
        return QueuedBatch(
            batch: MutationBatch(
                id: BatchID(number), writtenAt: now,
                promisedAt: Timestamp(promising: number * 1_000_000),
                mutations: [Mutation(key: key, kind: .set(.empty))]),
            user: UserID("ada"), writer: Writer(uid: 7, gid: 7, pid: 7))
    }

    /// The files of a store with five batches, as a crash leaves them.
    private func crashedStore() throws -> (folder: TemporaryFolder, StoreConfiguration) {
        let (folder, copy) = (TemporaryFolder(), TemporaryFolder())
        let database = DatabaseID(project: "demo")
        let store = try SQLiteStore(
            StoreConfiguration(path: folder.path + "/x.sqlite", database: database))
        for number in Int64(1)...5 {
            let batch = try batch(number)
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(batch)
            }
        }
        for suffix in ["", "-wal", "-intake"] {
            try folder.copy("x.sqlite" + suffix, to: copy)
        }
        return (copy, StoreConfiguration(path: copy.path + "/x.sqlite", database: database))
    }

    @Test(arguments: ["-intake", "-wal", ""])
    func `a store opens with all its batches beside a file of a hundred gigabytes`(
        suffix: String
    ) throws {
        let (folder, configuration) = try crashedStore()
        try #require(truncate(configuration.path + suffix, 100 << 30) == 0)
        let opened = try StoreRescue(configuration).open(at: now)
        let saved = try DamageBench.batches(of: UserID("ada"), in: opened.store)
        #expect(saved.map(\.batch.id.rawValue) == [1, 2, 3, 4, 5])
        #expect(folder.files.contains("x.sqlite"))
    }

    @Test(arguments: ["-intake", "-wal"])
    func `so does a store whose database is damaged`(suffix: String) throws {
        let (folder, configuration) = try crashedStore()
        try #require(truncate(configuration.path + suffix, 100 << 30) == 0)
        try #require(truncate(configuration.path, 0) == 0)
        let opened = try StoreRescue(configuration).open(at: now)
        let saved = try DamageBench.batches(of: UserID("ada"), in: opened.store)
        #expect(saved.suffix(4).map(\.batch.id.rawValue) == [2, 3, 4, 5])
        #expect(folder.files.contains("x.sqlite"))
    }
}
