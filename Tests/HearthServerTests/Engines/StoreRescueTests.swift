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
        #expect(
            opened.news?.report?.contains("3 queued batches and 1 dead letters were saved") == true)
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

    @Test func `a resend from before the damage is recognised`() throws {
        let queued = try batch(1, of: "ada")
        let client = ClientID(high: 1, low: 2)
        let pending = WriteIdentity(uid: 7, client: client, sequence: 4)
        let answered = WriteIdentity(uid: 7, client: client, sequence: 3)
        let answer = WriteRecord(
            batch: BatchID(12), outcome: .committed(at: SnapshotVersion(now)))
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(queued)
                try transaction.setRecord(
                    WriteRecord(batch: queued.batch.id, outcome: .pending), of: pending)
                try transaction.setRecord(answer, of: answered)
            }
            try store.maintain("DELETE FROM store")
        }
        let opened = try StoreRescue(configuration, user: UserID("ada")).open(at: now)
        guard case .write(let request)? = opened.inputs.first else {
            Issue.record("\(opened.inputs)")
            return
        }
        #expect(request.identity == pending)
        let known = try opened.store.transaction { transaction throws(StoreError) in
            (try transaction.record(of: answered), try transaction.globals().lastBatchID)
        }
        #expect(known.0 == answer)
        #expect(known.1 == BatchID(12))
    }

    @Test func `a rescue that is cut off is begun anew from the damaged file`() throws {
        do {
            let store = try SQLiteStore(configuration)
            let queued = try batch(1, of: "ada")
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(queued)
            }
            try store.maintain("DELETE FROM store")
        }
        let rescue = StoreRescue(configuration, user: UserID("ada"))
        for _ in 1...2 { #expect(try rescue.open(at: now).inputs.count == 1) }
        do {
            let opened = try rescue.open(at: now)
            #expect(opened.inputs.count == 1)
            try opened.finish()
        }
        let opened = try rescue.open(at: now)
        #expect(opened.inputs.isEmpty)
        #expect(opened.news == nil)
    }

    @Test func `a store in which damage was found is rescued once, not again within the hour`()
        throws
    {
        let rescue = StoreRescue(configuration, user: .unauthenticated)
        _ = try rescue.open(at: now)
        #expect(try rescue.condemn("page 7", at: now))
        do {
            let opened = try rescue.open(at: now)
            #expect(opened.news?.report?.contains("page 7") == true)
            try opened.finish()
        }
        #expect(try rescue.condemn("page 7", at: now.advanced(by: .seconds(60))) == false)
        #expect(try rescue.open(at: now).news == nil)
        #expect(try rescue.condemn("page 7", at: now.advanced(by: StoreRescue.pauseMin)))
    }

    @Test func `a reserve is taken, given back, and refused where there is no room`() throws {
        let reserve = StoreReserve(besides: configuration.path, byteCount: 1 << 20)
        try reserve.take()
        try reserve.take()
        #expect(folder.files.contains("x.sqlite-reserve"))
        reserve.release()
        #expect(!folder.files.contains("x.sqlite-reserve"))
        let error = #expect(throws: StoreError.self) {
            try StoreReserve(besides: configuration.path, byteCount: 1 << 43).take()
        }
        #expect(error?.isFull == true, "\(String(describing: error))")
        #expect(!folder.files.contains("x.sqlite-reserve"))
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

extension StoreNews {
    /// What was saved of a damaged store, if this tells of one.
    fileprivate var report: String? {
        if case .rebuilt(let report) = self { report } else { nil }
    }
}
