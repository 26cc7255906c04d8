import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
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
                promisedAt: Timestamp(promising: number * 1_000_000),
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
        let opened = try StoreRescue(configuration).open(at: now)
        for user in ["ada", "bob"] {
            let saved = try DamageBench.batches(of: UserID(user), in: opened.store)
            #expect(saved == batches.filter { $0.user == UserID(user) })
        }
        #expect(
            opened.news.report?.contains("3 queued batches and 1 dead letters were saved") == true)
        let globals = try opened.store.transaction { transaction throws(StoreError) in
            try transaction.globals()
        }
        // The row of counters is gone: it might have told of more.
        #expect(globals.lastBatchID > BatchID(9))
        let letters = try opened.store.readers.read { reader throws(StoreError) in
            try reader.deadLetters(count: 10)
        }.value
        #expect(letters == [letter])
    }

    /// SQLite finds nothing wrong with a text that is another one, and the queue would be nobody's.
    @Test(arguments: 0..<3)
    func `a queue whose user's name is damaged in one place is that user's still`(place: Int) throws
    {
        let name = "the-user-of-this-queue"
        let queued = try batch(1, of: name)
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(queued)
            }
            try store.checkpoint()
        }
        let whole = try #require(RawFile(configuration.path))
        var bytes = try #require(whole.bytes(whole.byteCount, at: 0))
        let places = bytes.indices.filter { bytes[$0...].starts(with: name.utf8) }
        try #require(places.count == 3)
        bytes[places[place] + 4] ^= 0x20
        let file = open(configuration.path, O_WRONLY)
        defer { close(file) }
        try #require(pwrite(file, bytes, bytes.count, 0) == bytes.count)
        let opened = try StoreRescue(configuration).open(at: now)
        let saved = try DamageBench.batches(of: UserID(name), in: opened.store)
        #expect(saved.map(\.batch) == [queued.batch])
    }

    @Test func `a resend from before the damage is recognised`() throws {
        let queued = try batch(1, of: "ada")
        let client = ClientID(high: 1, low: 2)
        let pending = WriteIdentity(uid: 7, client: client, sequence: 4)
        let answered = WriteIdentity(uid: 7, client: client, sequence: 3)
        let answer = WriteRecord<WriteOutcome>(
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
        let opened = try StoreRescue(configuration).open(at: now)
        let known = try opened.store.transaction { transaction throws(StoreError) in
            (
                try transaction.record(of: pending), try transaction.record(of: answered),
                try transaction.globals().lastBatchID
            )
        }
        #expect(known.0 == WriteRecord(batch: queued.batch.id, outcome: .pending))
        #expect(known.1 == answer)
        #expect(known.2 > BatchID(12))
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
        let rescue = StoreRescue(configuration)
        for _ in 1...2 { #expect(try queuedCount(try rescue.open(at: now)) == 1) }
        do {
            let opened = try rescue.open(at: now)
            #expect(try queuedCount(opened) == 1)
            try opened.finish()
        }
        let opened = try rescue.open(at: now)
        #expect(try queuedCount(opened) == 1)
        #expect(opened.news.isEmpty)
    }

    private func queuedCount(_ opened: OpenedStore<SQLiteStore>) throws -> Int {
        try DamageBench.batches(of: UserID("ada"), in: opened.store).count
    }

    @Test func `a kill between any two steps of a rescue loses nothing`() throws {
        do {
            let store = try SQLiteStore(configuration)
            let queued = try batch(1, of: "ada")
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(queued)
            }
        }
        let path = configuration.path + ".damaged-5"
        let suffixes = StoreFiles.suffixes.filter { folder.files.contains("x.sqlite\($0)") }
        try DamageMark(reason: "page 7", setAsidePath: path).write(besides: configuration.path)
        for count in 0...suffixes.count {
            // Those that go first are moved, and the new store is begun.
            for suffix in suffixes.prefix(count) {
                try SystemErrors.renameFile(
                    from: configuration.path + suffix, to: path + suffix)
            }
            if count == suffixes.count { try folder.write("", to: "x.sqlite") }
            do {
                let opened = try StoreRescue(configuration).open(at: now)
                #expect(try queuedCount(opened) == 1, "\(count) files were moved")
            }
            for suffix in StoreFiles.suffixes {
                try SystemErrors.removeFile(at: configuration.path + suffix)
                try SystemErrors.renameFile(
                    from: path + suffix, to: configuration.path + suffix)
            }
        }
    }

    @Test func `what was held is held, what was sent counts as sent, and all of it shows`() throws {
        let user = UserID("ada")
        do {
            let store = try SQLiteStore(configuration)
            let batches = try (1...4).map { try batch($0, of: "ada") }
            try store.transaction { transaction throws(StoreError) in
                for batch in batches { try transaction.append(batch) }
                try transaction.setHeld(true, BatchID(3), of: user)
                try transaction.noteSent(through: BatchID(1), of: user)
            }
        }
        try DamageMark(reason: "page 7").write(besides: configuration.path)
        let opened = try StoreRescue(configuration).open(at: now)
        let saved = try DamageBench.batches(of: user, in: opened.store)
        #expect(saved.map(\.state) == [.sentUnanswered, .queued, .held, .queued])
        let shown = try opened.store.transaction { transaction throws(StoreError) in
            try saved.map { batch throws(StoreError) in
                try transaction.overlay(batch.batch.keys[0], of: user)?.largestBatchID
            }
        }
        let expected: [BatchID?] = saved.map { $0.batch.id }
        #expect(shown == expected)
        let globals = try opened.store.transaction { transaction throws(StoreError) in
            try transaction.globals()
        }
        #expect(globals.lastBatchID == BatchID(4))
    }

    @Test func `which writes of a client were forgotten is known after a rescue`() throws {
        let client = ClientID(high: 1, low: 2)
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                for number in UInt64(1)...3 {
                    try transaction.setRecord(
                        WriteRecord(
                            batch: BatchID(Int64(number)),
                            outcome: .committed(at: SnapshotVersion(now))),
                        of: WriteIdentity(uid: 7, client: client, sequence: number))
                }
            }
            while try store.pruneRecords(keeping: 0, notedBefore: now) {}
        }
        try DamageMark(reason: "page 7").write(besides: configuration.path)
        let opened = try StoreRescue(configuration).open(at: now)
        let below = try opened.store.transaction { transaction throws(StoreError) in
            try transaction.forgottenBelow(of: client, uid: 7)
        }
        #expect(below == 4)
    }

    @Test(arguments: [true, false])
    func `a database that is gone or empty beside its intake log is made from that`(isGone: Bool)
        throws
    {
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
        if !isGone { try copy.write("", to: "x.sqlite") }
        let opened = try StoreRescue(copied).open(at: now)
        #expect(opened.news.report?.contains("intake log has") == true)
        let state = "it is \(isGone ? "missing" : "emptied")"
        #expect(opened.losses.first?.account.contains(state) == true)
        let gap = "of the batches 1 to 5, 1 left no trace (1), each answered before"
        #expect(opened.losses.first?.account.contains(gap) == true)
        let saved = try DamageBench.batches(of: UserID("ada"), in: opened.store)
        // The first was a commit of the database.
        #expect(saved.map(\.batch.id.rawValue) == [2, 3, 4, 5])
    }

    @Test(arguments: [
        ("missing", "is"), ("short", "has only"), ("foreign", "is another"), ("emptied", "was"),
    ])
    func `an intake log that is not what the database left is told of`(
        fault: String, verb: String
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
            for name in ["x.sqlite", "x.sqlite-wal", "x.sqlite-intake"] {
                try folder.copy(name, to: copy)
            }
        }
        let log = copied.path + "-intake"
        switch fault {
        case "missing": try SystemErrors.removeFile(at: log)
        case "short": try #require(truncate(log, 4_096 * 5) == 0)
        case "emptied":
            try #require(truncate(log, 0) == 0)
            try #require(truncate(log, off_t(copied.intakeByteCount)) == 0)
        default:
            try SystemErrors.removeFile(at: log)
            _ = try IntakeLog(makingAt: log, IntakeSize(full: copied.intakeByteCount)).append(
                IntakeRecord(version: StoreVersion(9), bytes: []))
        }
        let opened = try StoreRescue(copied).open(at: now)
        guard case .logLost(let report)? = opened.news.first else {
            Issue.record("\(opened.news)")
            return
        }
        #expect(report.contains("may be missing: the intake log \(log) \(verb) "))
        #expect(opened.losses.map(\.account) == [report])
        #expect(copy.files.contains { $0.hasSuffix(".damaged-5-intake") } == (fault == "foreign"))
        let saved = try DamageBench.batches(of: UserID("ada"), in: opened.store)
        #expect(saved.first?.batch.id == BatchID(1))
    }

    @Test func `a new log of which the database did not hear before a crash is no loss`() throws {
        let copy = TemporaryFolder()
        let copied = StoreConfiguration(
            path: copy.path + "/x.sqlite", database: configuration.database)
        let log = copied.path + "-intake"
        do {
            let store = try SQLiteStore(configuration)
            let batch = try batch(1, of: "ada")
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(batch)
            }
            for name in ["x.sqlite", "x.sqlite-wal", "x.sqlite-intake"] {
                try folder.copy(name, to: copy)
            }
            try SystemErrors.removeFile(at: log)
            _ = try IntakeLog(makingAt: log, IntakeSize(full: copied.intakeByteCount)).append(
                IntakeRecord(version: store.version, bytes: []))
        }
        let opened = try StoreRescue(copied).open(at: now)
        #expect(opened.news.isEmpty)
        let saved = try DamageBench.batches(of: UserID("ada"), in: opened.store)
        #expect(saved.map(\.batch.id) == [BatchID(1)])
    }

    @Test func `a store in which damage was found is rescued once, not again within the hour`()
        throws
    {
        let rescue = StoreRescue(configuration)
        _ = try rescue.open(at: now)
        #expect(try rescue.condemn("page 7", at: now))
        do {
            let opened = try rescue.open(at: now)
            #expect(opened.news.report?.contains("page 7") == true)
            try opened.finish()
        }
        #expect(try rescue.condemn("page 7", at: now.advanced(by: .seconds(60))) == false)
        #expect(try rescue.open(at: now).news.isEmpty)
        let later = now.advanced(by: StoreRescue<FirestoreContent>.pauseMin)
        #expect(try rescue.condemn("page 7", at: later))
    }

    @Test func `a reserve is taken, given back, and refused where there is no room`() throws {
        let reserve = StoreReserve(besides: configuration.path, byteCount: 1 << 20)
        try reserve.take()
        try reserve.take()
        #expect(folder.files.contains("x.sqlite-reserve"))
        reserve.release()
        #expect(!folder.files.contains("x.sqlite-reserve"))
        #expect(folder.files.contains("x.sqlite-reserve-start"))
        reserve.spend()
        #expect(!folder.files.contains { $0.contains("-reserve") })
        let error = #expect(throws: StoreError.self) {
            try StoreReserve(besides: configuration.path, byteCount: 1 << 43).take()
        }
        #expect(error?.isFull == true, "\(String(describing: error))")
        #expect(!folder.files.contains { $0.contains("-reserve") })
    }

    @Test(arguments: [true, false])
    func `a kept history begins anew, and the journal is told where the old one is`(
        isKept: Bool
    ) throws {
        do {
            let store = try SQLiteStore(configuration)
            try store.maintain("DELETE FROM store")
        }
        let news = try StoreRescue(configuration, keepsHistory: isKept).open(at: now).news
        // Of the files that belong together, the database's has the shortest name.
        let aside = try #require(
            folder.files.filter { $0.contains(".damaged-") }.min { $0.count < $1.count })
        let told = news.compactMap { news -> String? in
            if case .historyLost(let text) = news { text } else { nil }
        }
        #expect(told.map { $0.contains(aside) } == (isKept ? [true] : []))
    }

    @Test func `a sound file is opened as it is`() throws {
        _ = try SQLiteStore(configuration)
        let opened = try StoreRescue(configuration).open(at: now)
        #expect(opened.news.isEmpty)
    }

    @Test func `another database's file is refused and left alone`() throws {
        _ = try SQLiteStore(configuration)
        let other = StoreConfiguration(
            path: configuration.path, database: DatabaseID(project: "other"))
        let error = #expect(throws: StoreError.self) {
            try StoreRescue(other).open(at: now)
        }
        guard case .foreign? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        _ = try SQLiteStore(configuration)
    }
}

extension [StoreNews] {
    /// What was saved of a damaged store, if one was.
    fileprivate var report: String? {
        for case .rebuilt(let report) in self { return report }
        return nil
    }
}
