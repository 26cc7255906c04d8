import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// What becomes of stores and queues that are restored.
struct BackupRestoreTests {
    private let bench = BackupBench()
    private let target = BackupBench()

    init() throws { try bench.fill() }

    @Test func `restored batches are held, under a name that no marker bears`() throws {
        let outcome = try target.restore(try bench.backup())
        #expect(outcome.stores.map(\.counts.batchCount) == [3, 3])
        #expect(outcome.stores.map(\.counts.sentCount) == [1, 1])
        #expect(try target.number("SELECT count(*) FROM mutations WHERE state = 1") == 3)
        #expect(try target.number("SELECT held_batches FROM store") == 3)
        #expect(try target.number("SELECT sum(sent) FROM mutation_queues") == 0)
        #expect(try target.number("SELECT sum(length(marker_eras)) FROM mutation_queues") == 0)
        #expect(try target.daemon != bench.daemon)
        #expect(try target.realtimeNumber("SELECT count(*) FROM mutations WHERE state = 1") == 3)
        #expect(try target.realtimeNumber("SELECT sum(sent) FROM mutation_queues") == 0)
        #expect(try target.realtimeNumber("SELECT held_batches FROM store") == 3)
        try expectOpens(states: .held)
    }

    @Test func `a kept queue is as it was, name and sendings too`() throws {
        try target.restore(try bench.backup(), .init(queue: .keep))
        #expect(try target.daemon == bench.daemon)
        #expect(try target.number("SELECT sum(sent) FROM mutation_queues") == 1)
        #expect(try target.number("SELECT sum(state) FROM mutations") == 0)
        try expectOpens(states: .sentUnanswered)
    }

    @Test func `a dropped queue is gone with its effects, and its writers are told`() throws {
        try target.restore(try bench.backup(), .init(queue: .drop))
        for table in FirestoreContent.queueTables {
            #expect(try target.number("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
        #expect(try target.number("SELECT batches + batch_bytes + dead_letters FROM store") == 0)
        #expect(try target.realtimeNumber("SELECT batches + batch_bytes FROM store") == 0)
        let store = try SQLiteStore(
            StoreConfiguration(path: target.path, database: BackupBench.database))
        let record = try store.transaction { transaction throws(StoreError) in
            try transaction.record(of: BackupBench.identity)
        }
        guard case .rejected(let error, let mayHaveBeenApplied)? = record?.outcome else {
            Issue.record("\(String(describing: record))")
            return
        }
        #expect(error.code == .aborted && mayHaveBeenApplied)
    }

    /// The number of a folder's stores as a start of the daemon finds the number.
    private func number(in folder: String) -> UInt64 {
        StoreGeneration.known(in: folder).number
    }

    @Test(arguments: RestoredQueue.allCases)
    func `every restore gives the stores another number, and a start does not`(
        queue: RestoredQueue
    ) throws {
        let folder = target.folder.path
        let before = number(in: folder)
        #expect(number(in: folder) == before)
        try target.restore(try bench.backup(), .init(queue: queue))
        #expect(number(in: folder) != before)
    }

    @Test func `what a killed restore left undecided is removed, but not what a running one makes`()
        throws
    {
        try target.fill()
        let left = RestoreMark.newPath(for: target.path)
        for suffix in ["", "-wal", "-journal"] { try RestoredFile.write([1], to: left + suffix) }
        let other = target.folder.path + "/firestore/demo/gone.sqlite.restoring"
        try RestoredFile.write([1], to: other)
        do {
            let lock = try StoreLock(StoreFiles(path: target.path))
            defer { withExtendedLifetime(lock) {} }
            #expect(RestoreLeftovers.remove(in: target.folder.path) == [other])
            #expect(access(left, F_OK) == 0)
        }
        #expect(RestoreLeftovers.remove(in: target.folder.path) == [left])
        for suffix in ["", "-wal", "-journal"] { #expect(access(left + suffix, F_OK) != 0) }
        #expect(access(target.path, F_OK) == 0)
        #expect(RestoreLeftovers.remove(in: target.folder.path).isEmpty)
    }

    @Test(arguments: [
        "store SET version = 9223372036854775807", "store SET batches = -1",
        "store SET batch_bytes = 9223372036854775807",
        "mutations SET byte_count = 9223372036854775807",
        // SQLite makes the greatest number of these.
        "store SET version = 9.3e18", "store SET batches = '99999999999999999999'",
        "mutations SET byte_count = 'many'", "write_records SET sequence = x'FF'",
        // No batch, no query and no queue has a number behind these.
        "store SET last_batch = 17592186044415", "store SET highest_target = 2147483646",
        "mutation_queues SET id = 524288",
    ])
    func `a backup with a number that would end the daemon is refused`(change: String) throws {
        do {
            let store = try Connection(path: bench.path, isReadOnly: false)
            try store.execute("UPDATE \(change)")
        }
        let error = #expect(throws: BackupError.self) { try target.restore(try bench.backup()) }
        #expect(error?.description.contains("no daemon writes") == true)
    }

    @Test func `batches with the last numbers of all are refused`() throws {
        do {
            let store = try Connection(path: bench.path, isReadOnly: false)
            try store.execute("UPDATE mutations SET id = id | 17592186044412")
        }
        let error = #expect(throws: BackupError.self) { try target.restore(try bench.backup()) }
        #expect(error?.description.contains("no daemon gives") == true)
    }

    @Test func `the next batch of a restored store comes behind all that are there`() throws {
        do {
            let store = try Connection(path: bench.path, isReadOnly: false)
            try store.execute("UPDATE store SET last_batch = 0")
        }
        try target.restore(try bench.backup(), .init(queue: .keep))
        let configuration = StoreConfiguration(path: target.path, database: BackupBench.database)
        let store = try SQLiteStore(configuration)
        let globals = try store.transaction { transaction throws(StoreError) in
            try transaction.globals()
        }
        #expect(globals.lastBatchID == BatchID(4))
    }

    @Test(arguments: [
        "", "\n", "0\n", "-3\n", "+3\n", "x", "007\n", "12 \n", "12\n\n", "12\r\n", "12\n13\n",
        // A number that was cut short, and another that is too great.
        "1234567", "99999999999999999999\n", String(repeating: "9", count: 100),
    ])
    func `a damaged number is told once, and the stores have another one`(text: String) throws {
        let folder = target.folder.path
        let path = folder + "/store-generation"
        try RestoredFile.write(Array(text.utf8), to: path)
        let found = StoreGeneration.known(in: folder)
        guard case .replaced(let flaw) = found.problem else {
            Issue.record("\(String(describing: found.problem))")
            return
        }
        #expect(flaw.contains(path))
        #expect(found.number != 0 && found.number != 12 && found.number != 1_234_567)
        let next = StoreGeneration.known(in: folder)
        #expect(next.number == found.number && next.problem == nil)
    }

    @Test func `the number of earlier starts is known again`() throws {
        for number in [1, 17, UInt64.max] {
            try RestoredFile.write(
                Array("\(number)\n".utf8), to: target.folder.path + "/store-generation")
            let known = StoreGeneration.known(in: target.folder.path)
            #expect(known.number == number && known.problem == nil)
        }
    }

    @Test func `a number that cannot be read stays, and each run has another one`() throws {
        let folder = target.folder.path
        // A folder in its place can be opened, and not read.
        try #require(mkdir(folder + "/store-generation", 0o700) == 0)
        let first = StoreGeneration.known(in: folder)
        let second = StoreGeneration.known(in: folder)
        guard case .unreadable = first.problem else {
            Issue.record("\(String(describing: first.problem))")
            return
        }
        #expect(first.number != 0 && second.number != 0 && second.number != first.number)
        #expect(target.folder.files == ["store-generation"])
    }

    @Test func `a number that cannot be written counts for the run, and the next is another`()
        throws
    {
        let folder = target.folder.path
        try #require(mkdir(folder + "/store-generation.new", 0o700) == 0)
        let first = StoreGeneration.known(in: folder)
        let second = StoreGeneration.known(in: folder)
        #expect(first.number != 0 && first.problem != nil)
        #expect(second.number != 0 && second.number != first.number)
        try #require(rmdir(folder + "/store-generation.new") == 0)
        let third = StoreGeneration.known(in: folder)
        #expect(third.problem == nil)
        #expect(StoreGeneration.known(in: folder).number == third.number)
    }

    @Test func `what a kill left beside the stores is removed, and the files themselves stay`()
        throws
    {
        try target.fill()
        let folder = target.folder.path
        let found = number(in: folder)
        let kept = KeptOrderFile(folder: folder).path
        let ready = RestoreMark.newPath(for: kept)
        let drafts = ["kept-places.json", "pins.json", "store-generation", "restore-mark"]
            .map { folder + "/" + $0 + ".new" }
        for path in drafts + [ready] { try RestoredFile.write([1], to: path) }
        do {
            let lock = try StoreLock(StoreFiles(path: kept))
            defer { withExtendedLifetime(lock) {} }
            #expect(RestoreLeftovers.remove(in: folder).isEmpty)
        }
        #expect(RestoreLeftovers.remove(in: folder) == [ready])
        #expect(RestoreLeftovers.removeDrafts(in: folder) == drafts)
        for path in drafts + [ready] { #expect(access(path, F_OK) != 0) }
        #expect(access(kept, F_OK) == 0)
        #expect(number(in: folder) == found)
    }

    /// Opens the store as the daemon does, and expects all batches in order.
    private func expectOpens(states first: BatchState) throws {
        let configuration = StoreConfiguration(path: target.path, database: BackupBench.database)
        let opened = try StoreRescue(configuration).open(at: Timestamp(seconds: 9, nanoseconds: 0))
        #expect(opened.news.isEmpty)
        let batches = try DamageBench.batches(of: BackupBench.user, in: opened.store)
        #expect(batches.map(\.batch.id.rawValue) == [1, 2, 3])
        #expect(batches.first?.state == first)
    }

    // MARK: The target

    @Test func `a store with unsent writes is replaced only when that is said, and put aside`()
        throws
    {
        try target.fill(batches: 5...6)
        let bytes = try bench.backup()
        let before = target.contents
        #expect(throws: BackupError.self) { try target.restore(bytes) }
        #expect(target.contents == before)
        let outcome = try target.restore(bytes, .init(replacesUnsent: true))
        #expect(outcome.setAside.count == 2)
        let aside = try #require(outcome.setAside.first)
        let old = try Connection(path: aside, isReadOnly: true)
        #expect(try old.number("SELECT count(*) FROM mutations") == 2)
        #expect(try target.number("SELECT count(*) FROM mutations") == 3)
    }

    @Test func `a store whose daemon was killed is not replaced unheard`() throws {
        let other = BackupBench()
        try other.fill(batches: 5...6)
        let store = try SQLiteStore(
            StoreConfiguration(path: other.path, database: BackupBench.database))
        for sequence in UInt64(6)...8 {
            let write = WriteIdentity(
                uid: 7, client: BackupBench.identity.client, sequence: sequence)
            try store.transaction { transaction throws(StoreError) in
                try transaction.setRecord(
                    WriteRecord(batch: BatchID(5), outcome: .pending), of: write)
            }
        }
        try #require(store.intake.pendingCount > 0)
        try StoreFolder.makeFolders(above: target.path)
        for suffix in ["", "-wal", "-intake"] {
            let file = RawFile(other.path + suffix)
            let bytes = file?.bytes(file?.byteCount ?? 0, at: 0) ?? []
            try RestoredFile.write(bytes, to: target.path + suffix)
        }
        let before = target.contents
        let error = #expect(throws: BackupError.self) { try target.restore(try bench.backup()) }
        #expect(error?.description.contains("not closed in order") == true)
        #expect(target.contents == before)
    }

    @Test(arguments: [
        "as a kill leaves it", "without an index", "without a log", "with an empty log",
    ])
    func `a restore that is refused changes no byte and makes no file`(log: String) throws {
        let other = BackupBench()
        try other.fill(batches: 5...6)
        do {
            // A store with a log that no orderly end has brought into the database.
            let store = try SQLiteStore(
                StoreConfiguration(path: other.path, database: BackupBench.database))
            try store.maintain("UPDATE store SET held_batches = 0")
            try StoreFolder.makeFolders(above: target.path)
            for suffix in ["", "-wal", "-shm", "-intake"] {
                guard let file = RawFile(other.path + suffix) else { continue }
                try RestoredFile.write(
                    file.bytes(file.byteCount, at: 0) ?? [], to: target.path + suffix)
            }
        }
        switch log {
        case "without an index": try #require(unlink(target.path + "-shm") == 0)
        case "without a log":
            for suffix in ["-wal", "-shm"] { try #require(unlink(target.path + suffix) == 0) }
        case "with an empty log": try #require(truncate(target.path + "-wal", 0) == 0)
        default: break
        }
        let before = target.contents
        let error = #expect(throws: BackupError.self) { try target.restore(try bench.backup()) }
        #expect(error?.description.contains("has 2 unsent writes") == true)
        #expect(target.contents == before)
    }

    @Test func `nothing is restored under a daemon that has a store open`() throws {
        try target.fill()
        let before = target.contents
        let lock = try StoreLock(StoreFiles(path: target.path))
        let error = #expect(throws: BackupError.self) {
            try target.restore(try bench.backup(), .init(replacesUnsent: true))
        }
        #expect(error?.description.contains("stop the daemon") == true)
        withExtendedLifetime(lock) {}
        #expect(target.contents == before)
    }

    // MARK: Crashes

    /// Puts new files beside the places of the target, as a restore does, and decides.
    private func decide() throws -> RestoreMark {
        let other = BackupBench()
        try other.restore(try bench.backup())
        var moves: [RestoreMark.Move] = []
        for (path, bytes) in other.contents where path.hasSuffix(".sqlite") {
            let place = String(path.dropFirst(other.folder.path.count + 1))
            try RestoredFile.write(
                bytes, to: RestoreMark.newPath(for: target.folder.path + "/" + place))
            moves.append(RestoreMark.Move(place: place, aside: ""))
        }
        return RestoreMark(note: "note", moves: moves.sorted { $0.place < $1.place })
    }

    @Test func `a restore that was killed before it was decided has not happened`() throws {
        try target.fill(batches: 5...6)
        _ = try decide()
        try RestoreMark.finish(in: target.folder.path)
        #expect(try target.number("SELECT count(*) FROM mutations") == 2)
        #expect(RestoreMark.takeNote(in: target.folder.path) == nil)
    }

    @Test(arguments: 0...2)
    func `a restore that was killed between its moves is finished by whoever comes next`(
        doneCount: Int
    ) throws {
        try target.fill(batches: 5...6)
        let mark = try decide()
        try mark.write(in: target.folder.path)
        for move in mark.moves.prefix(doneCount) {
            let path = target.folder.path + "/" + move.place
            #expect(rename(RestoreMark.newPath(for: path), path) == 0)
        }
        try RestoreMark.finish(in: target.folder.path)
        #expect(try target.number("SELECT count(*) FROM mutations") == 3)
        #expect(try target.realtimeNumber("SELECT count(*) FROM mutations") == 3)
        #expect(RestoreMark.takeNote(in: target.folder.path) == "note")
        #expect(RestoreMark.takeNote(in: target.folder.path) == nil)
        try RestoreMark.finish(in: target.folder.path)
    }

    @Test(arguments: ["../x", "/etc/passwd", "firestore/../../x", "", "a\tb\tc"])
    func `a mark that leads out of the folder moves nothing`(place: String) throws {
        let text = "HEARTH RESTORE 1\nnote\n\(place)\t\nEND\n"
        try RestoredFile.write(Array(text.utf8), to: target.folder.path + "/restore-mark")
        #expect(throws: BackupError.self) { try RestoreMark.finish(in: target.folder.path) }
    }
}
