import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// The queue of an earlier program: the file, and the log that was not taken up before the upgrade.
struct QueueMigrationTests {
    private let folder = TemporaryFolder()
    private let users = [UserID.unauthenticated, UserID("alice"), UserID("bob")]
    private var configuration: StoreConfiguration { StoreBench.configuration(in: folder) }

    /// All that the queues tell.
    private struct State: Equatable {
        var queued: [UserID: [QueuedBatch]] = [:]
        var overlays: [UserID: [DocumentKey: Overlay]] = [:]
        var written: [UserID: Set<DocumentKey>] = [:]
        var writers: [UserID: [BatchID]] = [:]
        var load = QueueLoad()
        var held: [UserID: BatchID] = [:]
    }

    private func state(of store: SQLiteStore) throws -> State {
        let names = ["a/1", "a/2", "a/3", "b/1"].map { key($0) }
        let held = try store.readers.read { reader throws(StoreError) in
            try reader.firstHeldBatches()
        }
        return try store.transaction { transaction throws(StoreError) in
            var state = State()
            state.held = held.value
            for user in users {
                var place = BatchID.none
                while let next = try transaction.nextBatch(after: place, of: user) {
                    state.queued[user, default: []].append(next.withoutPromise)
                    place = next.batch.id
                }
                state.overlays[user] = try transaction.overlays(names, of: user).mapValues(
                    \.withoutPromise)
                state.written[user] = try transaction.writtenKeys(of: user)
                state.writers[user] = try transaction.batches(writingTo: [names[0]], of: user)
                    .map(\.batch.id)
            }
            state.load = try transaction.queueLoad(of: author.uid)
            return state
        }
    }

    /// Two users write to one document, several batches too; some were sent, one is held.
    private func fill(_ store: SQLiteStore) throws {
        func effect(_ number: Int64, _ mutation: Mutation) -> Overlay {
            Overlay(largestBatchID: BatchID(number), mutation: mutation)
        }
        try store.transaction { transaction throws(StoreError) in
            try transaction.append(
                batch(1, set("a/1")), effects: [effect(1, set("a/1", ["more": .null]))])
            try transaction.append(
                batch(2, set("a/1", ["n": .integer(2)])),
                effects: [effect(2, set("a/1", ["n": .integer(2)]))])
            try transaction.append(
                batch(3, set("a/2"), set("b/1")),
                effects: [effect(3, set("a/2")), effect(3, set("b/1"))])
            try transaction.append(
                batch(4, set("a/1"), user: users[1]), effects: [effect(4, set("a/1"))])
            try transaction.append(batch(5, set("a/3")), effects: [effect(5, set("a/3"))])
            try transaction.append(batch(6, set("a/1"), user: users[1]))
            let long = set("a/3", ["text": .string(String(repeating: "x", count: 5_000))])
            try transaction.append(batch(7, long, user: users[1]), effects: [effect(7, long)])
            try transaction.noteSent(through: BatchID(2), of: users[0])
            try transaction.noteSent(through: BatchID(4), of: users[1])
            try transaction.setHeld(true, BatchID(5), of: users[0])
            try transaction.setHeld(true, BatchID(7), of: users[1])
            var globals = try transaction.globals()
            globals.lastBatchID = BatchID(7)
            try transaction.setGlobals(globals)
        }
    }

    @Test func `queues, effects and what was sent are the same after the step`() throws {
        let expected: State
        do {
            let store = try SQLiteStore(configuration)
            try fill(store)
            expected = try state(of: store)
        }
        do {
            let connection = try Connection(path: configuration.path, isReadOnly: false)
            try OldSchema.takeBackNinthStep(connection)
            let states = "SELECT group_concat(batch || ':' || queue || ':' || state) FROM mutations"
            #expect(
                try connection.text(states) == "1:1:2,2:1:2,3:1:0,4:2:2,5:1:1,6:2:0,7:2:1")
            #expect(try connection.number("SELECT count(*) FROM document_mutations") == 8)
            #expect(try connection.number("SELECT count(*) FROM document_overlays") == 6)
        }
        let store = try SQLiteStore(configuration)
        #expect(store.migratedFrom == 8)
        #expect(try state(of: store) == expected)
        // And they are steered on as before.
        let (first, other) = (try #require(expected.queued[users[0]]), users[1])
        try store.transaction { transaction throws(StoreError) in
            try transaction.removeBatch(first[0])
            try transaction.removeBatch(first[1])
            try transaction.setHeld(false, BatchID(5), of: users[0])
            try transaction.removeBatch(BatchID(6), of: other)
            try transaction.append(batch(8, set("a/1")))
        }
        let after = try state(of: store)
        #expect(after.queued[users[0]]?.map(\.batch.id.rawValue) == [3, 5, 8])
        #expect(after.queued[users[0]]?.map(\.state) == [.queued, .queued, .queued])
        #expect(after.overlays[users[0]]?.keys.contains(key("a/1")) == false)
        #expect(after.writers == [users[0]: [BatchID(8)], other: [BatchID(4)], users[2]: []])
        #expect(after.overlays[other] == expected.overlays[other])
        #expect(after.held == [other: BatchID(7)])
        #expect(try store.problems().isEmpty)
    }

    @Test func `a log of before the step is taken up after it`() throws {
        let accepted = batch(3, set("a/1", ["n": .integer(2)]))
        let effect = set("a/1", ["n": .integer(2), "m": .null])
        let (salt, begin): (UInt64, StoreVersion)
        do {
            let store = try SQLiteStore(configuration)
            for number in Int64(1)...2 {
                // The second is in the log alone, so that the database knows the log's salt.
                try store.transaction { transaction throws(StoreError) in
                    try transaction.append(
                        batch(number, set("a/\(number)"), user: users[Int(number)]))
                }
            }
            salt = try #require(store.intake.log?.salt)
            begin = store.version
        }
        let codec = SQLiteTransaction(
            try Connection(path: configuration.path, isReadOnly: true),
            database: configuration.database
        ).codec
        // What an earlier program wrote of: accepting, sending, and acknowledging one of before.
        var accepting = IntakeWriter()
        accepting.batch(
            accepted, baseWrites: [],
            writes: try BatchBytes.bytes(of: accepted.batch.mutations, codec), isEffect: false)
        accepting.overlay(
            Overlay(largestBatchID: BatchID(3), mutation: effect),
            mutation: try BatchBytes.bytes(of: effect, codec), of: users[0])
        accepting.state(.sentUnanswered, of: BatchID(3), user: users[0])
        var leaving = IntakeWriter()
        leaving.begin(IntakeKind.batchRemoved.rawValue)
        leaving.number(1)
        leaving.text("alice")
        leaving.keys([key("a/1")])
        leaving.begin(IntakeKind.overlaysOfBatchRemoved.rawValue)
        leaving.number(1)
        leaving.text("alice")
        leaving.keys([key("a/1")])
        var holding = IntakeWriter()
        holding.state(.held, of: BatchID(2), user: users[2])
        var pages = [UInt8](repeating: 0, count: 64 * IntakePages.byteCount)
        var version = begin
        pages.withUnsafeMutableBytes { pages in
            for (place, writer) in [accepting, leaving, holding].enumerated() {
                version = version.next
                let page = pages[(place * IntakePages.byteCount)...]
                IntakeRecord(version: version, bytes: writer.bytes)
                    .write(to: UnsafeMutableRawBufferPointer(rebasing: page), salt: salt)
            }
        }
        let file = open(configuration.path + "-intake", O_WRONLY)
        try #require(pwrite(file, pages, pages.count, 0) == pages.count)
        close(file)
        try OldSchema.takeBackNinthStep(
            try Connection(path: configuration.path, isReadOnly: false))
        let store = try SQLiteStore(configuration)
        #expect(store.migratedFrom == 8)
        #expect(store.version == version)
        let found = try state(of: store)
        var sent = accepted
        sent.state = .sentUnanswered
        #expect(found.queued[users[0]] == [sent])
        #expect(
            found.overlays[users[0]]
                == [key("a/1"): Overlay(largestBatchID: BatchID(3), mutation: effect)])
        #expect(found.queued[users[1]] == nil)
        #expect(found.held == [users[2]: BatchID(2)])
    }

    @Test func `that a batch was sent is durable by itself`() throws {
        let store = try SQLiteStore(configuration)
        for number in Int64(1)...3 { try IntakeActs.accept(number, in: store) }
        try store.transaction { transaction throws(StoreError) in
            try transaction.noteSent(through: BatchID(2), of: users[0])
        }
        #expect(store.hasWritten)
        try #require(store.intake.pendingCount > 0)
        let states: [BatchState] = [.sentUnanswered, .sentUnanswered, .queued]
        let (again, copy) = try StoreBench.crashed(folder)
        #expect(try state(of: again).queued[users[0]]?.map(\.state) == states)
        // The database has it too, once it is committed, and so do readers.
        let read = try again.readers.read { reader throws(StoreError) in
            try reader.queuedBatches(count: 9).map(\.state)
        }
        #expect(read.value == states)
        unlink(StoreBench.configuration(in: copy).path + "-intake")
        let (third, last) = try StoreBench.crashed(copy)
        let found = try withExtendedLifetime(last) { try state(of: third) }
        #expect(found.queued[users[0]]?.map(\.state) == states)
    }
}
