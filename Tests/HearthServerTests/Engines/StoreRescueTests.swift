import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthServer
@testable import HearthStore

struct StoreRescueTests {
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
                mutations: [Mutation(key: key, kind: .set(.empty))]),
            user: UserID(user), writer: Writer(uid: 7, gid: 7, pid: 7))
    }

    @Test func `queued writes and dead letters outlive a damaged file, and numbers go on`() throws {
        let batches = [try batch(1, of: "ada"), try batch(2, of: "bob"), try batch(3, of: "ada")]
        let letter = DeadLetter(
            batch: try batch(9, of: "ada"), error: HearthError(code: .aborted, message: "No."),
            rejectedAt: now, mayHaveBeenApplied: true)
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                for batch in batches { try transaction.append(batch) }
                try transaction.appendDeadLetter(letter)
            }
            try store.maintain("DELETE FROM store")
        }
        let opened = try StoreRescue(configuration, user: UserID("ada")).open(at: now)
        let writes = opened.inputs.compactMap { input -> [Mutation]? in
            if case .write(let request) = input { request.mutations } else { nil }
        }
        #expect(writes == [batches[0].batch.mutations, batches[2].batch.mutations])
        #expect(opened.news?.contains("3 queued batches and 1 dead letters were saved") == true)
        let globals = try opened.store.transaction { transaction throws(StoreError) in
            try transaction.globals()
        }
        #expect(globals.lastBatchID == BatchID(9))
        let others = try opened.store.transaction { transaction throws(StoreError) in
            try transaction.batch(BatchID(2), of: UserID("bob"))
        }
        #expect(others == batches[1])
        let letters = try opened.store.readers.read { reader throws(StoreError) in
            try reader.deadLetters(count: 10)
        }.value
        #expect(letters == [letter])
    }

    @Test func `a sound file is opened as it is`() throws {
        _ = try SQLiteStore(configuration)
        let opened = try StoreRescue(configuration, user: .unauthenticated).open(at: now)
        #expect(opened.inputs.isEmpty)
        #expect(opened.news == nil)
    }

    @Test func `another database's file is refused and left alone`() throws {
        _ = try SQLiteStore(configuration)
        let other = StoreConfiguration(
            path: configuration.path, database: DatabaseID(project: "other"))
        let error = #expect(throws: StoreError.self) {
            try StoreRescue(other, user: .unauthenticated).open(at: now)
        }
        guard case .foreign? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        _ = try SQLiteStore(configuration)
    }
}
