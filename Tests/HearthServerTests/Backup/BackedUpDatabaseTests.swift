import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// One database of a backup, read without a daemon.
struct BackedUpDatabaseTests {
    private let bench = BackupBench()
    private let place = TemporaryFolder()

    private func open(
        _ database: DatabaseID?, of bytes: [UInt8]
    ) throws(BackupError) -> BackedUpDatabase {
        try BackedUpDatabase(
            database, of: try BackupBench.file(of: bytes), at: place.path + "/copy")
    }

    /// Puts documents into the cache of the bench's database, and the effects of its batches on top.
    private func remember(_ documents: [Document]) throws {
        let effects = try (Int64(1)...3).map { number in
            Overlay(
                largestBatchID: BatchID(number),
                mutation: Mutation(
                    key: try DocumentKey(parsing: "rooms/\(number)"), kind: .set(.empty)))
        }
        let store = try SQLiteStore(
            StoreConfiguration(path: bench.path, database: BackupBench.database))
        try store.transaction { transaction throws(StoreError) in
            for document in documents {
                var document = document
                document.readAt = document.version
                try transaction.setRemoteDocument(document)
            }
            try transaction.setOverlays(effects, of: BackupBench.user)
        }
    }

    private func pages(
        _ source: BackedUpDatabase, of user: UserID?
    ) throws -> [[Document]] {
        var pages: [[Document]] = []
        try source.forEachPage(of: user) { pages.append($0) }
        return pages
    }

    @Test func `documents come in pages, without or with the waiting writes`() throws {
        try bench.fill()
        let version = SnapshotVersion(Timestamp(seconds: 9, nanoseconds: 0))
        let count = StoreLimits.pageDocumentCountMax + 1
        var documents: [Document] = []
        for number in 0..<count {
            documents.append(
                .found(
                    try DocumentKey(parsing: "halls/\(number)"), at: version,
                    ["n": .integer(Int64(number))]))
        }
        documents.append(.missing(try DocumentKey(parsing: "halls/gone"), at: version))
        documents.append(.unknown(try DocumentKey(parsing: "halls/odd"), at: version))
        try remember(documents)
        let source = try open(BackupBench.database, of: try bench.backup())
        let told = try pages(source, of: nil)
        #expect(told.map(\.count) == [count - 1, 2])
        #expect(Set(told.joined()) == Set(documents.filter(\.exists)))
        #expect(try source.users() == [BackupBench.user])
        // Each batch of the bench makes a room.
        let seen = try pages(source, of: BackupBench.user).joined().map(\.key.path.string)
        #expect(seen.count == count + 1 + 3)
        #expect(seen.suffix(3) == ["rooms/1", "rooms/2", "rooms/3"])
        #expect(try pages(source, of: UserID("other")).joined().count == count + 1)
        var batches: [BatchID] = []
        try source.forEachBatch { batches.append($0.batch.id) }
        #expect(batches == [BatchID(1), BatchID(2), BatchID(3)])
    }

    @Test func `the history comes in its order, of all documents and in parts`() throws {
        try bench.fill()
        let count = HistoryLimits.pageCountMax + 7
        let text = String(repeating: "x", count: HistoryLimits.pageByteCountMax / 20)
        do {
            let store = try SQLiteStore(
                StoreConfiguration(path: bench.path, database: BackupBench.database))
            try store.transaction { transaction throws(StoreError) in
                for number in 0..<count {
                    guard let key = try? DocumentKey(parsing: "rooms/\(number % 3)") else {
                        throw .io("no document")
                    }
                    let version = SnapshotVersion(
                        Timestamp(seconds: Int64(number) + 1, nanoseconds: 0))
                    try transaction.appendHistory(
                        HistoryEntry(
                            notedAt: version.timestamp, event: .heard,
                            local: .found(key, at: version, ["text": .string(text)])))
                }
            }
        }
        let source = try open(BackupBench.database, of: try bench.backup())
        var steps: [HistoryEntry] = []
        try source.forEachStep { steps.append($0) }
        #expect(steps.map(\.number) == Array(1...Int64(count)))
        #expect(steps.map { $0.key.documentID } == (0..<count).map { "\($0 % 3)" })
        #expect(steps.allSatisfy { $0.local.fields == ["text": .string(text)] })
    }

    @Test func `the only database needs no name, another is refused, and no copy is left`() throws {
        try bench.fill()
        let bytes = try bench.backup()
        do {
            let source = try open(nil, of: bytes)
            #expect(source.database == BackupBench.database)
            #expect(!place.files.isEmpty)
        }
        #expect(place.files.isEmpty)
        #expect(throws: BackupError.self) { try open(DatabaseID(project: "other"), of: bytes) }
        let trees = try bench.backup([.keptPlaces])
        #expect(throws: BackupError.self) { try open(nil, of: trees) }
        #expect(throws: BackupError.self) { try open(nil, of: Array(bytes.dropLast(9))) }
        #expect(place.files.isEmpty)
    }
}
