import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct IntakeTests {
    private let folder = TemporaryFolder()

    private var configuration: StoreConfiguration { StoreBench.configuration(in: folder) }

    /// A store whose log is in use, with batches 1 and 2; the log has batch 2.
    private func filled() throws -> SQLiteStore {
        let store = try SQLiteStore(configuration)
        try IntakeActs.accept(1, in: store)
        try IntakeActs.accept(2, in: store)
        try #require(store.intake.pendingCount == 1)
        return store
    }

    @Test func `what only the log has is there after a crash, once, and after the next one`() throws
    {
        let store = try filled()
        for number in Int64(3)...9 { try IntakeActs.accept(number, in: store) }
        let expected = try IntakeActs.state(of: store)
        #expect(store.intake.pendingCount == 8)
        for _ in 1...2 {
            let (again, copy) = try StoreBench.crashed(folder)
            #expect(again.version == store.version)
            #expect(try IntakeActs.state(of: again) == expected)
            #expect(try again.problems().isEmpty)
            try IntakeActs.accept(10, in: again)
            #expect(try IntakeActs.state(of: again).batches.count == 10)
            withExtendedLifetime(copy) {}  // The folder lasts as long as the store.
        }
    }

    @Test(arguments: UInt64(1)...6)
    func `at every moment, a crash leaves what a store without a log would have`(seed: UInt64)
        throws
    {
        let beside = TemporaryFolder()
        var plain = StoreConfiguration(
            path: "\(beside.path)/plain.db", database: StoreBench.database)
        plain.intakeByteCount = 0
        var small = configuration
        small.intakeByteCount = 7 * IntakePages.byteCount
        let store = try SQLiteStore(small)
        let twin = try SQLiteStore(plain)
        var acts = IntakeActs(seed: seed)
        for _ in 0..<60 {
            let act = acts.next()
            try act(store)
            try act(twin)
            let expected = try IntakeActs.state(of: twin)
            #expect(try IntakeActs.state(of: store) == expected)
            let (again, copy) = try StoreBench.crashed(folder)
            #expect(again.version == store.version)
            if store.intake.untold.isEmpty {
                #expect(try IntakeActs.state(of: again) == expected)
                #expect(try IntakeActs.rows(of: again) == IntakeActs.rows(of: twin))
            } else {
                #expect(try IntakeActs.state(of: again).queued == expected.queued)
            }
            _ = copy
        }
        #expect(twin.intake.log == nil)
        #expect(store.intake.log != nil)
    }

    @Test func `the records of another log are not this store's`() throws {
        do { _ = try filled() }
        let other = TemporaryFolder()
        let otherStore = try SQLiteStore(StoreBench.configuration(in: other))
        for number in Int64(1)...4 { try IntakeActs.accept(number, in: otherStore) }
        try other.copy("hearth.db-intake", to: folder)
        let store = try SQLiteStore(configuration)
        #expect(try IntakeActs.state(of: store).batches.map(\.rawValue) == [1, 2])
    }

    @Test func `a full log has the database committed, and begins anew`() throws {
        var small = configuration
        small.intakeByteCount = 2 * IntakePages.byteCount
        let store = try SQLiteStore(small)
        var restarts = 0
        for number in Int64(1)...60 {
            let before = store.intake.pendingCount
            try IntakeActs.accept(number, in: store)
            if store.intake.pendingCount < before { restarts += 1 }
            let (again, _) = try StoreBench.crashed(folder)
            #expect(try IntakeActs.state(of: again).batches.count == Int(number))
        }
        #expect(store.version == StoreVersion(60))
        #expect(restarts > 1)
    }

    @Test func `readers see at once what only the log makes durable`() throws {
        let store = try filled()
        let read = try store.readers.read { reader throws(StoreError) in
            try reader.queuedBatches(count: 10).map(\.id.rawValue)
        }
        #expect(read.value == [1, 2])
        #expect(read.version == store.version)
        #expect(store.intake.pendingCount == 0)
        #expect(
            try store.readers.read { reader throws(StoreError) in try reader.counts() }
                .value.batchCount == 2)
    }

    @Test func `what is undone in an open transaction is undone alone`() throws {
        let store = try filled()
        let before = try IntakeActs.state(of: store)
        try store.begin()
        try store.turn { transaction throws(StoreError) in
            try transaction.append(batch(3, set("a/3")))
        }
        store.rollback()
        #expect(try IntakeActs.state(of: store) == before)
        try store.begin()
        #expect(throws: StoreError.self) {
            try store.turn { transaction throws(StoreError) in
                try transaction.append(batch(3, set("a/3")))
                throw .io("planted")
            }
        }
        #expect(store.isGroupOpen)
        try store.turn { transaction throws(StoreError) in
            try transaction.append(batch(4, set("a/4")))
        }
        #expect(throws: StoreError.self) {
            try store.turn { transaction throws(StoreError) in
                try transaction.append(batch(5, set("a/5")))
                throw .io("planted")
            }
        }
        try store.commit()
        #expect(try IntakeActs.state(of: store).batches.map(\.rawValue) == [1, 2, 4])
        let (again, _) = try StoreBench.crashed(folder)
        #expect(try IntakeActs.state(of: again).batches.map(\.rawValue) == [1, 2, 4])
    }

    @Test func `a failure that ends the whole transaction loses nothing that was accepted`()
        throws
    {
        let store = try filled()
        try store.maintain(
            """
            CREATE TRIGGER fail BEFORE INSERT ON bundles
            BEGIN SELECT RAISE(ROLLBACK, 'planted'); END
            """)
        for number in Int64(3)...5 { try IntakeActs.accept(number, in: store) }
        try #require(store.intake.pendingCount == 3)
        let before = try IntakeActs.state(of: store)
        try store.begin()
        #expect(throws: StoreError.self) {
            try store.turn { transaction throws(StoreError) in
                try transaction.append(batch(6, set("a/6")))
                try transaction.setBundle(
                    BundleRecord(id: "b", createdAt: version(1), version: 1))
            }
        }
        #expect(!store.isGroupOpen)
        store.rollback()
        #expect(try IntakeActs.state(of: store) == before)
        let (again, _) = try StoreBench.crashed(folder)
        #expect(try IntakeActs.state(of: again) == before)
    }

    @Test func `a full disk loses nothing that was accepted, and refuses the rest`() throws {
        let store = try filled()
        let pages = try store.setting("PRAGMA page_count") ?? "0"
        try store.maintain("PRAGMA max_page_count = \(pages)")
        var accepted: Int64 = 2
        do {
            while accepted < 200 {
                try IntakeActs.accept(accepted + 1, in: store)
                accepted += 1
            }
            Issue.record("The disk was not full")
        } catch let error as StoreError {
            guard case .full = error else { throw error }
        }
        #expect(try IntakeActs.state(of: store).batches.count == Int(accepted))
        let (again, _) = try StoreBench.crashed(folder)
        #expect(try IntakeActs.state(of: again).batches.count == Int(accepted))
        try store.maintain("PRAGMA max_page_count = 1000000")
        try IntakeActs.accept(accepted + 1, in: store)
        #expect(try IntakeActs.state(of: store).batches.count == Int(accepted) + 1)
    }
}
