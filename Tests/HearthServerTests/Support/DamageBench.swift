import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// A store as a crash leaves the files, with batches in the file, in SQLite's log and in the intake
/// log alone. Tests damage copies of the store.
struct DamageBench {
    /// The files of a store, by what their names end with.
    enum File: String, CaseIterable, CustomTestStringConvertible {
        case database = ""
        case log = "-wal"
        case intake = "-intake"

        var testDescription: String { rawValue.isEmpty ? "database" : rawValue }
    }

    /// Where a batch lies.
    enum Place: Hashable {
        case page(Int)
        case frame(Int)
    }

    /// What was written over a part of a file.
    struct Damage {
        let file: File
        let range: Range<Int>
        let bytes: [UInt8]
    }

    static let database = DatabaseID(project: "demo")
    static let client = ClientID(high: 3, low: 4)
    private static let users = [UserID("alice"), UserID("bob")]

    /// The batches that there are, with their states.
    private(set) var expected: [BatchID: QueuedBatch] = [:]
    private(set) var letters: Set<BatchID> = []
    /// Where the batches lie that the database has.
    private(set) var places: [BatchID: Set<Place>] = [:]
    /// Where the records of the intake log lie that the database has not.
    private(set) var records: [(batches: Set<BatchID>, ranges: [Range<Int>])] = []

    private let folder = TemporaryFolder()
    private let text = String(repeating: "x", count: 300)

    static func configuration(in folder: TemporaryFolder) -> StoreConfiguration {
        var configuration = StoreConfiguration(
            path: "\(folder.path)/x.sqlite", database: database)
        configuration.intakeByteCount = 64 << 12
        configuration.intakeAgeMax = .seconds(86_400)
        return configuration
    }

    init() throws {
        let origin = TemporaryFolder()
        let store = try SQLiteStore(Self.configuration(in: origin))
        try fill(store)
        for file in File.allCases { try origin.copy("x.sqlite\(file.rawValue)", to: folder) }
        for user in Self.users {
            for batch in try Self.batches(of: user, in: store) { expected[batch.batch.id] = batch }
        }
        try findPlaces()
        try findRecords()
    }

    /// A copy of the files in which a part is written over.
    func copy(_ damage: Damage) throws -> TemporaryFolder { try damage.copy(of: folder) }

    /// A damage by chance.
    func damage(_ file: File, using random: inout SeededGenerator) -> Damage {
        Damage(by: &random, to: file, in: folder)
    }

    /// All batches of a user, in order.
    static func batches(of user: UserID, in store: SQLiteStore) throws(StoreError) -> [QueuedBatch]
    {
        try store.transaction { transaction throws(StoreError) in
            var batches: [QueuedBatch] = []
            while let next = try transaction.nextBatch(
                after: batches.last?.batch.id ?? .none, of: user)
            {
                batches.append(next)
            }
            return batches
        }
    }

    /// All batches of all users.
    static func batches(in store: SQLiteStore) throws(StoreError) -> [BatchID: QueuedBatch] {
        var found: [BatchID: QueuedBatch] = [:]
        for user in users + [.unauthenticated] {
            for batch in try batches(of: user, in: store) { found[batch.batch.id] = batch }
        }
        return found
    }

    // MARK: What may be missing

    /// The batches that a damage has hit, wholly or in part.
    func hit(by damage: Damage) -> Set<BatchID> {
        switch damage.file {
        case .database:
            let pages = Set(damage.range.map { Place.page($0 / 4_096 + 1) })
            return Set(places.keys.filter { places[$0]?.isDisjoint(with: pages) == false })
        case .log:
            let frames = Set(damage.range.map { Place.frame(max(0, $0 - 32) / 4_120) })
            return Set(places.keys.filter { places[$0]?.isDisjoint(with: frames) == false })
        case .intake:
            return lostRecords(damage).reduce(into: []) { $0.formUnion($1.batches) }
        }
    }

    /// The records of the intake log that a damage has left without a copy.
    func lostRecords(_ damage: Damage) -> [(batches: Set<BatchID>, ranges: [Range<Int>])] {
        guard damage.file == .intake else { return [] }
        return records.filter { $0.ranges.allSatisfy { $0.overlaps(damage.range) } }
    }

    private mutating func findPlaces() throws {
        let pages = StoredPages("\(folder.path)/x.sqlite")
        for number in PageRoles(pages).live {
            guard let bytes = pages.page(number), let tree = TreePage(bytes, number: number),
                tree.kind == .table
            else { continue }
            for cell in tree.cells {
                guard let kinds = StoredRecord.kinds(of: bytes[cell.local]),
                    SalvagedTable(kinds: kinds, isOfIndex: false, of: FirestoreContent.self)
                        == .batches
                else { continue }
                var next = cell.overflow
                var found: Set<Place> = [place(of: number, pages)]
                while let page = next, page > 0, let bytes = pages.page(page) {
                    found.insert(place(of: page, pages))
                    next = bytes.big32(at: 0)
                }
                places[BatchRow.batch(cell.row ?? 0)] = found
            }
        }
    }

    private func place(of page: Int, _ pages: StoredPages) -> Place {
        pages.frame(of: page).map { .frame($0.index) } ?? .page(page)
    }

    private mutating func findRecords() throws {
        let path = "\(folder.path)/x.sqlite"
        let content = FirestoreContent(database: Self.database)
        guard let counters = SalvagedTables(StoredPages(path), content).counters,
            let salt = counters.salt, let file = RawFile(path + "-intake"),
            let bytes = file.bytes(file.byteCount, at: 0)
        else { return }
        var found: [StoreVersion: (batches: Set<BatchID>, ranges: [Range<Int>])] = [:]
        let codec = FirestoreCodec(database: Self.database, mode: .local)
        bytes.withUnsafeBytes { log in
            var place = 0
            while let next = IntakeRecord.nextPlace(in: log, from: place, to: log.count) {
                place = next + 1
                guard let record = IntakeRecord(in: log, at: next, salt: salt),
                    record.version > counters.version
                else { continue }
                let entries = (try? IntakeEntry.entries(from: record.bytes, codec)) ?? []
                for case .batch(let batch, _) in entries {
                    found[record.version, default: ([], [])].batches.insert(batch.batch.id)
                }
                found[record.version, default: ([], [])].ranges.append(
                    next..<(next + record.byteCount))
            }
        }
        records = Array(found.values)
    }

    // MARK: Filling

    private mutating func fill(_ store: SQLiteStore) throws {
        for number in Int64(1)...260 { try accept(number, in: store) }
        try steer(store)
        for number in Int64(1)...60 where number % 23 != 0 { try answer(number, in: store) }
        try store.settle()
        try store.checkpoint()
        for number in Int64(261)...320 {
            try accept(number, in: store)
            if number % 7 == 0 { try answer(number - 190, in: store) }
            if number % 20 == 0 { try store.settle() }
        }
        for number in Int64(321)...360 { try accept(number, in: store) }
        try answer(200, in: store)
        try store.transaction { transaction throws(StoreError) in
            try transaction.noteSent(through: BatchID(120), of: Self.users[0])
        }
    }

    private func user(of number: Int64) -> UserID { Self.users[number % 3 == 0 ? 1 : 0] }

    private func accept(_ number: Int64, in store: SQLiteStore) throws {
        let length = number % 31 == 0 ? 30 : 1
        let value = Value.string(String(repeating: text, count: length) + "\(number)")
        let count: Int64 = number % 17 == 0 ? 3 : 1
        var mutations: [Mutation] = []
        for part in 0..<count {
            mutations.append(
                Mutation(
                    key: try DocumentKey(parsing: "rooms/\((number + part) % 40)"),
                    kind: .set(["v": value])))
        }
        let batch = QueuedBatch(
            batch: MutationBatch(
                id: BatchID(number), writtenAt: Timestamp(seconds: number, nanoseconds: 0),
                promisedAt: Timestamp(promising: number * 1_000_000), mutations: mutations),
            user: user(of: number), writer: Writer(uid: 7, gid: 8, pid: 9, unit: "a.service"))
        try store.transaction { transaction throws(StoreError) in
            var globals = try transaction.globals()
            globals.lastBatchID = batch.batch.id
            try transaction.setGlobals(globals)
            try transaction.append(batch)
            try transaction.setRecord(
                WriteRecord(batch: batch.batch.id, outcome: .pending), of: Self.identity(number))
        }
    }

    static func identity(_ number: Int64) -> WriteIdentity {
        WriteIdentity(uid: 7, client: client, sequence: UInt64(number))
    }

    private func steer(_ store: SQLiteStore) throws {
        try store.transaction { transaction throws(StoreError) in
            for number in stride(from: Int64(23), through: 260, by: 23) {
                try transaction.setHeld(true, BatchID(number), of: user(of: number))
            }
            try transaction.noteSent(through: BatchID(100), of: Self.users[0])
        }
    }

    private mutating func answer(_ number: Int64, in store: SQLiteStore) throws {
        let user = user(of: number)
        let isRejected = number % 5 == 0
        try store.transaction { transaction throws(StoreError) in
            guard let batch = try transaction.batch(BatchID(number), of: user) else { return }
            try transaction.removeBatch(batch)
            let error = HearthError(code: .aborted, message: "No.")
            try transaction.setRecord(
                WriteRecord(
                    batch: batch.batch.id,
                    outcome: isRejected
                        ? .rejected(error, mayHaveBeenApplied: false)
                        : .committed(at: SnapshotVersion(batch.batch.writtenAt))),
                of: Self.identity(number))
            guard isRejected else { return }
            try transaction.appendDeadLetter(
                DeadLetter(
                    batch: batch, error: error, rejectedAt: batch.batch.writtenAt,
                    mayHaveBeenApplied: false))
        }
        if isRejected { letters.insert(BatchID(number)) }
    }
}
