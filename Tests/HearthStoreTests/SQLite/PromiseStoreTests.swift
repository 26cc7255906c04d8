import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// Promised times in a file: after a crash, a migration, a rescue, and when they grow old.
struct PromiseStoreTests {
    private let folder = TemporaryFolder()
    private let user = UserID.unauthenticated
    private var configuration: StoreConfiguration { StoreBench.configuration(in: folder) }

    private func time(_ id: Int64) -> Timestamp { Timestamp(promising: 5_000 + id) }

    private func promised(_ id: Int64) -> QueuedBatch {
        let plain = batch(id, set("a/\(id)"))
        return QueuedBatch(
            batch: plain.batch.promised(at: time(id)), user: user, writer: author)
    }

    private func effect(_ id: Int64) -> Overlay {
        Overlay(largestBatchID: BatchID(id), promisedAt: time(id), mutation: set("a/\(id)"))
    }

    private func accept(_ ids: ClosedRange<Int64>, in store: SQLiteStore) throws {
        for id in ids {
            try store.transaction { transaction throws(StoreError) in
                var globals = try transaction.globals()
                globals.lastBatchID = BatchID(id)
                globals.lastPromisedAt = time(id)
                try transaction.setGlobals(globals)
                try transaction.append(promised(id), effects: [effect(id)])
            }
        }
    }

    private func settle(_ ids: ClosedRange<Int64>, in store: SQLiteStore) throws {
        try store.transaction { transaction throws(StoreError) in
            for id in ids {
                try transaction.removeBatch(promised(id))
                try transaction.setPromise(
                    SettledPromise(
                        promisedAt: time(id), batch: BatchID(id),
                        outcome: .committed(at: version(id))))
            }
        }
    }

    private func kept(_ ids: ClosedRange<Int64>, in store: SQLiteStore) throws -> [Int64] {
        try store.transaction { transaction throws(StoreError) in
            var kept: [Int64] = []
            for id in ids where try transaction.promise(time(id)) != nil { kept.append(id) }
            return kept
        }
    }

    @Test func `a crash takes no promise, waiting or settled, that only the intake log has`()
        throws
    {
        let store = try SQLiteStore(configuration)
        try accept(1...3, in: store)
        try settle(1...1, in: store)
        try #require(store.intake.pendingCount > 0)
        let (again, copy) = try StoreBench.crashed(folder)
        try again.transaction { transaction throws(StoreError) in
            #expect(try transaction.batch(BatchID(2), of: user) == promised(2))
            #expect(try transaction.overlay(key("a/3"), of: user) == effect(3))
            #expect(try transaction.promise(time(1))?.outcome == .committed(at: version(1)))
            #expect(try transaction.globals().lastPromisedAt == time(3))
        }
        withExtendedLifetime(copy) {}
    }

    @Test func `what waited before the step promises times of long ago, in its order`() throws {
        do {
            let store = try SQLiteStore(configuration)
            try accept(1...3, in: store)
        }
        do {
            let connection = try Connection(path: configuration.path, isReadOnly: false)
            try OldSchema.takeBackNinthStep(connection)
        }
        let store = try SQLiteStore(configuration)
        #expect(store.migratedFrom == 8)
        try store.transaction { transaction throws(StoreError) in
            var promises: [Timestamp] = []
            for id in Int64(1)...3 {
                let queued = try transaction.batch(BatchID(id), of: user)
                if let promise = queued?.batch.promisedAt { promises.append(promise) }
            }
            let first = PromisedClock.first.microseconds
            #expect(promises == (1...3).map { Timestamp(promising: first + $0) })
            #expect(try transaction.globals().lastPromisedAt == promises.last)
            #expect(try transaction.overlay(key("a/2"), of: user)?.promisedAt == promises[1])
        }
    }

    @Test func `promises are forgotten by number and age, but by age alone while a queue waits`()
        throws
    {
        let store = try SQLiteStore(configuration)
        try accept(1...200, in: store)
        try settle(1...199, in: store)
        let longAgo = Timestamp(seconds: 0, nanoseconds: 0)
        while try store.pruneRecords(keeping: 50, notedBefore: longAgo) {}
        #expect(try kept(1...199, in: store).count == 199)
        try settle(200...200, in: store)
        while try store.pruneRecords(keeping: 50, notedBefore: longAgo) {}
        #expect(try kept(1...200, in: store) == Array(151...200))
        let tomorrow = Timestamp(seconds: 100_000, nanoseconds: 0)
        while try store.pruneRecords(keeping: 50, notedBefore: tomorrow) {}
        #expect(try kept(1...200, in: store).isEmpty)
    }

    @Test func `told letters count for nobody, outlast a crash and go after their time`() throws {
        let store = try SQLiteStore(configuration)
        let letters = [true, false].map { wasTold in
            DeadLetter(
                batch: batch(wasTold ? 1 : 2, set("a/1")),
                error: HearthError(code: .permissionDenied, message: "No."),
                rejectedAt: Timestamp(seconds: 100, nanoseconds: 0), mayHaveBeenApplied: false,
                wasTold: wasTold)
        }
        for letter in letters {
            try store.transaction { transaction throws(StoreError) in
                try transaction.appendDeadLetter(letter)
            }
        }
        let (again, copy) = try StoreBench.crashed(folder)
        let listed = try again.readers.read { reader throws(StoreError) in
            (try reader.deadLetters(after: .none, count: 10), try reader.counts())
        }.value
        #expect(listed.0 == [letters[1]])
        #expect(listed.1.deadLetterCount == 1)
        func kept() throws -> [Bool] {
            try again.transaction { transaction throws(StoreError) in
                [
                    try transaction.deadLetter(BatchID(1)) != nil,
                    try transaction.deadLetter(BatchID(2)) != nil,
                ]
            }
        }
        #expect(try kept() == [true, true])
        let longAgo = Timestamp(seconds: 0, nanoseconds: 0)
        for (seconds, expected) in [(Int64(100), [true, true]), (101, [false, true])] {
            let time = Timestamp(seconds: seconds, nanoseconds: 0)
            while try again.pruneRecords(keeping: 9, notedBefore: longAgo, toldBefore: time) {}
            #expect(try kept() == expected)
        }
        withExtendedLifetime(copy) {}
    }

    /// Buries a batch whose writer waits to be told.
    private func bury(_ id: Int64, in store: SQLiteStore) throws {
        let letter = DeadLetter(
            batch: batch(id, set("a/1")),
            error: HearthError(code: .permissionDenied, message: "No."),
            rejectedAt: Timestamp(seconds: id, nanoseconds: 0), mayHaveBeenApplied: false,
            wasTold: true)
        try store.transaction { transaction throws(StoreError) in
            try transaction.appendDeadLetter(letter)
        }
    }

    private func letters(_ ids: ClosedRange<Int64>, in store: SQLiteStore) throws -> [Int64] {
        try store.transaction { transaction throws(StoreError) in
            var found: [Int64] = []
            for id in ids where try transaction.deadLetter(BatchID(id)) != nil { found.append(id) }
            return found
        }
    }

    private func forget(_ id: Int64, in store: SQLiteStore) throws {
        try store.transaction { transaction throws(StoreError) in
            try transaction.forgetToldLetter(BatchID(id))
        }
    }

    @Test func `a letter is forgotten without a record, and with the next record for good`() throws
    {
        let store = try SQLiteStore(configuration)
        try accept(11...11, in: store)  // The first group makes the log.
        for id in Int64(1)...3 { try bury(id, in: store) }
        try #require(store.intake.pendingCount > 0)
        let (count, version) = (store.intake.pendingCount, store.version)
        try forget(1, in: store)
        #expect(store.intake.pendingCount == count && store.version == version)
        #expect(try letters(1...3, in: store) == [2, 3])
        let (early, earlyCopy) = try StoreBench.crashed(folder)
        #expect(try letters(1...3, in: early) == [1, 2, 3])
        try accept(12...12, in: store)
        let (late, lateCopy) = try StoreBench.crashed(folder)
        #expect(try letters(1...3, in: late) == [2, 3])
        withExtendedLifetime((earlyCopy, lateCopy)) {}
    }

    @Test func `what was forgotten last outlasts an orderly end, and a look of a reader`() throws {
        do {
            let store = try SQLiteStore(configuration)
            try accept(11...11, in: store)
            for id in Int64(1)...2 { try bury(id, in: store) }
            try forget(1, in: store)
            let seen = try store.readers.read { reader throws(StoreError) in
                try reader.counts().deadLetterCount
            }
            #expect(seen.value == 0)
            let (copied, copy) = try StoreBench.crashed(folder)
            #expect(try letters(1...2, in: copied) == [2])
            withExtendedLifetime(copy) {}
            try forget(2, in: store)
        }
        let again = try SQLiteStore(configuration)
        #expect(try letters(1...2, in: again) == [])
    }

    @Test func `the log takes no waiting letter away because its number was told`() throws {
        let store = try SQLiteStore(configuration)
        try accept(11...11, in: store)
        try bury(1, in: store)
        try store.transaction { transaction throws(StoreError) in
            guard let letter = try transaction.deadLetter(BatchID(1)) else { return }
            try transaction.appendDeadLetter(letter.untold)
        }
        try forget(1, in: store)
        try accept(12...12, in: store)
        try #require(store.intake.pendingCount > 0)
        let (again, copy) = try StoreBench.crashed(folder)
        #expect(try letters(1...1, in: again) == [1])
        withExtendedLifetime(copy) {}
    }

    @Test func `a rescue from the log has no letter whose writer was told`() throws {
        let store = try SQLiteStore(configuration)
        try accept(11...11, in: store)
        for id in Int64(1)...2 { try bury(id, in: store) }
        try forget(1, in: store)
        try accept(12...12, in: store)
        try #require(store.intake.pendingCount > 0)
        let copy = try folder.crashed()
        let salvage = Salvage(StoreBench.configuration(in: copy).path, of: configuration.content)
        #expect(salvage.deadLetters.map(\.batch.batch.id) == [BatchID(2)])
        withExtendedLifetime((store, copy)) {}
    }

    @Test func `a rescue saves the promises of what waits, and makes none of them again`() throws {
        do {
            let store = try SQLiteStore(configuration)
            try accept(1...3, in: store)
        }
        let salvage = Salvage(configuration.path, of: configuration.content)
        #expect(salvage.batches == (1...3).map { promised($0) })
        let other = TemporaryFolder()
        let store = try SQLiteStore(StoreBench.configuration(in: other))
        try store.restore(salvage)
        try store.transaction { transaction throws(StoreError) in
            #expect(try transaction.batch(BatchID(2), of: user) == promised(2))
            #expect(try transaction.overlay(key("a/2"), of: user)?.promisedAt == time(2))
            #expect(try transaction.globals().lastPromisedAt == time(3))
        }
    }

    @Test func `what only the log of an earlier program has promises times like any batch`()
        throws
    {
        let store = try SQLiteStore(configuration)
        try accept(1...1, in: store)
        // A batch without a promise leaves the bytes that an earlier program left.
        for id in Int64(2)...3 {
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(
                    batch(id, set("a/\(id)")),
                    effects: [Overlay(largestBatchID: BatchID(id), mutation: set("a/\(id)"))])
            }
        }
        try #require(store.intake.pendingCount > 0)
        let (again, copy) = try StoreBench.crashed(folder)
        try again.transaction { transaction throws(StoreError) in
            var last = time(1)
            for id in Int64(2)...3 {
                let promise = try transaction.batch(BatchID(id), of: user)?.batch.promisedAt
                #expect(promise.map { $0 > last } == true)
                last = promise ?? last
                #expect(try transaction.overlay(key("a/\(id)"), of: user)?.promisedAt == last)
            }
            #expect(try transaction.globals().lastPromisedAt == last)
        }
        withExtendedLifetime(copy) {}
    }

    @Test(arguments: [Int64.max, .min, -1, 253_402_300_799_999_999])
    func `a damaged promise in a row is none, and the engine goes on`(damaged: Int64) throws {
        do {
            let store = try SQLiteStore(configuration)
            try accept(1...1, in: store)
        }
        do {
            let connection = try Connection(path: configuration.path, isReadOnly: false)
            for row in ["mutations SET promised_at", "store SET last_promised"] {
                try connection.execute("UPDATE \(row) = \(damaged)")
            }
        }
        let store = try SQLiteStore(configuration)
        var engine = FirestoreEngine(
            configuration: FirestoreEngine.Configuration(database: configuration.content.database),
            seed: 1)
        let write = WriteRequest(
            id: RequestID(session: 1, number: 1), writer: author, mutations: [set("a/2")])
        try store.transaction { transaction throws(StoreError) in
            #expect(try transaction.batch(BatchID(1), of: user)?.batch.promisedAt == nil)
            _ = try engine.take(.start, at: time(1), in: transaction)
            _ = try engine.take(.write(write), at: time(1), in: transaction)
            let second = try transaction.batch(BatchID(2), of: user)?.batch.promisedAt
            #expect(second == Timestamp(promising: PromisedClock.first.microseconds))
        }
    }

    @Test func `a damaged promise in the intake log is damage`() throws {
        for microseconds in [Int64.max, -1] {
            var writer = IntakeWriter()
            writer.promiseSettled(
                SettledPromise(
                    promisedAt: Timestamp(microseconds: microseconds), batch: BatchID(1),
                    outcome: .rejected), outcome: nil, notedAt: time(1))
            let bytes = writer.bytes
            #expect(throws: StoreError.self) {
                try IntakeEntry.entries(
                    from: bytes, FirestoreCodec(database: DatabaseID(project: "p"), mode: .local))
            }
        }
    }

    @Test func `a crash takes no creation that only the intake log tells`() throws {
        let store = try SQLiteStore(configuration)
        try accept(1...1, in: store)
        let created = Overlay(
            largestBatchID: BatchID(2), promisedAt: time(2), createdAt: time(1),
            mutation: set("a/1"))
        let second = QueuedBatch(
            batch: batch(2, set("a/1")).batch.promised(at: time(2)), user: user, writer: author)
        try store.transaction { transaction throws(StoreError) in
            try transaction.append(second, effects: [created])
        }
        try #require(store.intake.pendingCount > 0)
        let (again, copy) = try StoreBench.crashed(folder)
        try again.transaction { transaction throws(StoreError) in
            #expect(try transaction.overlay(key("a/1"), of: user) == created)
        }
        withExtendedLifetime(copy) {}
    }
}
