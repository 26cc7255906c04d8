import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct SalvageTests {
    @Test func `the queue and the dead letters outlive a damaged cache`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let letter = DeadLetter(
            batch: batch(9, set("a/1")), error: HearthError(code: .aborted, message: "No."),
            rejectedAt: Timestamp(seconds: 1, nanoseconds: 0), mayHaveBeenApplied: false)
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                for number in Int64(1)...3 {
                    try transaction.append(batch(number, set("a/\(number)"), user: UserID("u")))
                }
                try transaction.appendDeadLetter(letter)
                try transaction.setRemoteDocument(found("a/1"))
            }
            try store.maintain("UPDATE mutations SET writes = x'FF' WHERE id & 15 = 2")
            try store.maintain("DROP TABLE remote_documents")
        }
        let salvage = Salvage(configuration.path, of: configuration.content)
        #expect(salvage.batches.map(\.batch.id.rawValue) == [1, 3])
        #expect(salvage.batches.last == batch(3, set("a/3"), user: UserID("u")))
        #expect(salvage.deadLetters == [letter])
        #expect(salvage.loss?.contains("the size of batch 2") == true)
    }

    /// A store with batches over many pages, closed, so that its file has all data; and which page
    /// each table begins with.
    private func filled(_ folder: TemporaryFolder, count: Int64 = 1_500) throws -> [String: Int] {
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        try store.transaction { transaction throws(StoreError) in
            for number in 1...count {
                try transaction.append(batch(number, set("a/\(number)"), user: UserID("u")))
            }
            try transaction.noteSent(through: BatchID(10), of: UserID("u"))
        }
        var roots: [String: Int] = [:]
        try store.connection.statement("SELECT name, rootpage FROM sqlite_schema").forEach { row in
            roots[row.text(0) ?? ""] = Int(row.int(1))
        }
        return roots
    }

    private func overwrite(_ path: String, at place: Int, _ bytes: [UInt8]) throws {
        let file = open(path, O_WRONLY)
        try #require(file >= 0)
        defer { close(file) }
        try #require(pwrite(file, bytes, bytes.count, off_t(place)) == bytes.count)
    }

    @Test func `a damaged leaf takes only its own batches with it`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let roots = try filled(folder)
        let pages = StoredPages(configuration.path)
        let root = try #require(roots["mutations"])
        let top = try #require(pages.page(root).flatMap { TreePage($0, number: root) })
        let leaf = top.children[2]
        let leafPage = try #require(pages.page(leaf).flatMap { TreePage($0, number: leaf) })
        let ids = leafPage.cells.map { BatchRow.batch($0.row ?? 0) }
        try overwrite(
            configuration.path, at: (leaf - 1) * 4_096, [UInt8](repeating: 0xA5, count: 64))
        let salvage = Salvage(configuration.path, of: configuration.content)
        let expected = (Int64(1)...1_500).map { BatchID($0) }.filter { !ids.contains($0) }
        #expect(salvage.batches.map(\.batch.id) == expected)
        #expect(salvage.loss?.contains("\(ids.count) batches more") == true, "\(salvage.problems)")
    }

    @Test(arguments: ["header", "schema", "mutations", "mutation_queues", "store", "map"])
    func `a page that leads to batches, or tells whose they are, takes none with it`(
        name: String
    ) throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let roots = try filled(folder)
        let place =
            switch name {
            case "header": 0
            case "schema": 100
            case "map": 4_096
            default: try #require(roots[name]) * 4_096 - 4_096
            }
        try overwrite(configuration.path, at: place, [UInt8](repeating: 0xA5, count: 64))
        let salvage = Salvage(configuration.path, of: configuration.content)
        #expect(salvage.batches.map(\.batch.id.rawValue) == Array(1...1_500))
        #expect(salvage.batches.allSatisfy { $0.user == UserID("u") })
        #expect(
            salvage.batches.allSatisfy {
                $0.state == ($0.batch.id <= BatchID(10) ? .sentUnanswered : .queued)
            })
        #expect(salvage.lastBatchID >= BatchID(1_500))
    }

    @Test(arguments: [nil, 0, 100, 4_096])
    func `batches that have left are not found again on free pages`(damagedPlace: Int?) throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        _ = try filled(folder)
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                for number in Int64(1)...1_400 {
                    guard let batch = try transaction.batch(BatchID(number), of: UserID("u")) else {
                        continue
                    }
                    try transaction.removeBatch(batch)
                }
            }
            let freeCount = try store.setting("PRAGMA freelist_count").flatMap { Int($0) } ?? 0
            try #require(freeCount > 20)
        }
        if let damagedPlace {
            try overwrite(
                configuration.path, at: damagedPlace, [UInt8](repeating: 0xA5, count: 64))
        }
        let salvage = Salvage(configuration.path, of: configuration.content)
        #expect(salvage.batches.map(\.batch.id.rawValue) == Array(1_401...1_500))
    }

    @Test func `the queue of an earlier program's file is saved if it cannot be migrated`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let alice = UserID("alice")
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(batch(1, set("a/1"), user: alice))
                try transaction.append(batch(2, set("a/2")))
                try transaction.append(batch(3, set("a/3"), user: alice, state: .held))
                try transaction.noteSent(through: BatchID(1), of: alice)
            }
        }
        do {
            let connection = try Connection(path: configuration.path, isReadOnly: false)
            try OldSchema.takeBackNinthStep(connection)
            try connection.execute(
                "DROP TABLE document_overlays; UPDATE mutations SET writes = x'FF' WHERE batch = 2")
        }
        #expect(throws: StoreError.self) { _ = try SQLiteStore(configuration) }
        let salvage = Salvage(configuration.path, of: configuration.content)
        #expect(
            salvage.batches == [
                batch(1, set("a/1"), user: alice, state: .sentUnanswered),
                batch(3, set("a/3"), user: alice, state: .held),
            ])
        #expect(salvage.loss?.contains("the size of batch 2") == true)
    }

    @Test(
        arguments: [
            ([7, 8, 9], 9, "of the batches 1 to 9, 6 left no trace (1 to 6)"),
            ([2, 4, 6, 8, 10, 12, 14], 15, "8 left no trace (1, 3, 5, 7, 9 and others)"),
            ([3, 1, 2, 2], 3, "only ones with numbers above 3"),
            ([], 0, "nobody can tell how many"),
            ([-1, .max], .max, "left no trace (1 to "),
        ] as [([Int64], Int64, String)])
    func `without the row of counters the gaps among the numbers are told`(
        traced: [Int64], highest: Int64, told: String
    ) {
        let gaps = TracelessBatches(traced.map { BatchID($0) }, through: BatchID(highest))
        #expect(gaps.description.contains("queued batches and dead letters may be missing"))
        #expect(gaps.description.contains(told), "\(gaps)")
    }

    @Test func `behind what the counters know only the later numbers are missed`() {
        let later = TracelessBatches(
            [BatchID(2), BatchID(8), BatchID(9)], behind: BatchID(5), through: BatchID(9))
        #expect(later.account?.contains("of the batches 6 to 9, 2 left no trace (6 to 7)") == true)
        let whole = TracelessBatches([BatchID(6)], behind: BatchID(5), through: BatchID(6))
        #expect(whole.account == nil)
    }

    @Test func `of junk nothing can be saved, and that is said`() throws {
        let folder = TemporaryFolder()
        try folder.write(String(repeating: "This is no database. ", count: 100), to: "hearth.db")
        let salvage = Salvage(
            "\(folder.path)/hearth.db", of: FirestoreContent(database: StoreBench.database))
        #expect(salvage.batches.isEmpty)
        #expect(!salvage.problems.isEmpty)
    }
}
