import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// Counters that no store reaches are damage, and lead nobody beyond what can be counted.
struct CounterDamageTests {
    private let folder = TemporaryFolder()
    private var configuration: StoreConfiguration { StoreBench.configuration(in: folder) }

    /// Makes a store with a batch, and changes the counters behind its back.
    private func damage(_ change: String) throws {
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(batch(1, set("a/1")))
                var globals = try transaction.globals()
                globals.lastBatchID = BatchID(1)
                try transaction.setGlobals(globals)
            }
        }
        let file = try Connection(path: configuration.path, isReadOnly: false)
        try file.execute("UPDATE store SET \(change)")
    }

    private func isDamaged(_ error: StoreError?) -> Bool {
        if case .damaged = error { true } else { false }
    }

    @Test(arguments: [
        "last_batch = -1", "last_batch = 1 << 50", "sequence = -1",
        "sequence = 9223372036854775807", "highest_target = -2", "highest_target = 2147483647",
        "batches = -1", "batch_bytes = 9223372036854775807", "documents = -1",
    ])
    func `a counter that no store reaches is damage`(change: String) throws {
        try damage(change)
        let error = #expect(throws: StoreError.self) {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                _ = try transaction.globals()
                _ = try (transaction as? SQLiteTransaction)?.queueTallies()
            }
        }
        #expect(isDamaged(error), "\(String(describing: error))")
    }

    @Test(arguments: [Int64.max, Int64.max - 1, StoreVersion.max, -1, Int64.min])
    func `a version that no store reaches is damage when the store is opened`(number: Int64) throws
    {
        try damage("version = \(number)")
        let error = #expect(throws: StoreError.self) { _ = try SQLiteStore(configuration) }
        #expect(isDamaged(error), "\(String(describing: error))")
        // Whoever asks a closed store for its log does not count on from the number either.
        try folder.write("", to: "hearth.db-intake")
        let file = try Connection(path: configuration.path, isReadOnly: false)
        try file.execute("UPDATE store SET intake_salt = 1")
        let refusal = #expect(throws: StoreError.self) {
            _ = try ReaderPool(configuration).lacksGroups()
        }
        #expect(isDamaged(refusal), "\(String(describing: refusal))")
    }

    @Test func `a number that is behind the queue is damage when a batch would get it`() throws {
        try damage("last_batch = 0")
        let store = try SQLiteStore(configuration)
        let error = #expect(throws: StoreError.self) {
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(batch(1, set("a/2")))
            }
        }
        #expect(isDamaged(error))
    }
}
