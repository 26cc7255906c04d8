import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// The history of documents on disk: after a crash, a migration and a rescue.
struct HistoryStoreTests {
    private func entry(_ number: Int64) -> HistoryEntry {
        HistoryEntry(
            notedAt: Timestamp(seconds: number, nanoseconds: 0),
            event: .accepted(
                HistoryWrite(batch: BatchID(number), user: UserID(""), writer: author)),
            local: found("a/\(number % 3)", ["n": .integer(number)]))
    }

    private func history(_ store: SQLiteStore) throws -> [HistoryEntry] {
        try store.transaction { transaction throws(StoreError) in
            var entries: [HistoryEntry] = []
            for name in ["a/0", "a/1", "a/2"] {
                entries += try transaction.history(HistoryQuestion(of: key(name))).entries
            }
            return entries
        }
    }

    @Test func `a crash loses no step of an accepted write, and makes none twice`() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        try store.transaction { transaction throws(StoreError) in
            try transaction.append(batch(1, set("b/0")))
        }
        for number in Int64(2)...12 {
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(batch(number, set("b/\(number)")))
                try transaction.appendHistory(entry(number))
                if number % 4 == 0 {
                    _ = try transaction.removeHistory(
                        HistoryBounds(byteCountMax: 1_000, countMax: 10))
                }
            }
            #expect(store.intake.pendingCount > 0)
            let crashed = try StoreBench.crashed(folder)
            let expected = try history(store)
            #expect(expected.contains { $0.notedAt.seconds == number })
            #expect(try history(crashed.store) == expected)
        }
    }

    @Test func `steps outlive the program, and come to a file of the version before`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        try OldSchema.make(configuration, at: Schema.version - 1)
        do {
            let store = try SQLiteStore(configuration)
            #expect(store.migratedFrom == Schema.version - 1)
            try store.transaction { transaction throws(StoreError) in
                for number in Int64(1)...3 { try transaction.appendHistory(entry(number)) }
            }
        }
        let store = try SQLiteStore(configuration)
        #expect(try history(store).map(\.notedAt.seconds) == [3, 1, 2])
        let read = try store.readers.read { reader throws(StoreError) in
            try reader.history(HistoryQuestion(of: key("a/2")))
        }
        #expect(read.value.entries.map(\.local.fields) == [["n": .integer(2)]])
    }

    @Test func `a rescue takes no step for a batch, and begins the history anew`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        do {
            let store = try SQLiteStore(configuration)
            try store.transaction { transaction throws(StoreError) in
                try transaction.append(batch(1, set("b/1")))
                for number in Int64(1)...40 { try transaction.appendHistory(entry(number)) }
            }
        }
        let salvage = Salvage(configuration.path, of: configuration.content)
        #expect(salvage.batches.map(\.batch.id.rawValue) == [1])
        #expect(salvage.deadLetters.isEmpty)
        #expect(salvage.problems.isEmpty)
        let other = TemporaryFolder()
        let restored = try SQLiteStore(StoreBench.configuration(in: other))
        try restored.transaction { transaction throws(StoreError) in
            guard let inner = transaction as? SQLiteTransaction else { return }
            try configuration.content.restore(salvage, in: inner)
        }
        #expect(try history(restored).isEmpty)
    }

    @Test func `a damaged step is told of, and stops nothing else`() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        try store.transaction { transaction throws(StoreError) in
            for number in Int64(1)...2 { try transaction.appendHistory(entry(number)) }
        }
        try store.maintain("UPDATE history SET entry = x'0102' WHERE id = 1")
        #expect(throws: StoreError.damaged("the history of a/1")) {
            try store.transaction { transaction throws(StoreError) in
                _ = try transaction.history(HistoryQuestion(of: key("a/1")))
            }
        }
        let other = try store.transaction { transaction throws(StoreError) in
            try transaction.history(HistoryQuestion(of: key("a/2"))).entries.count
        }
        #expect(other == 1)
    }

    @Test(arguments: [
        "id = 9223372036854775807 WHERE id = 2", "id = -9223372036854775808 WHERE id = 1",
        "id = 0 WHERE id = 1", "bytes_before = 9223372036854775807 WHERE id = 2",
        "bytes_before = -9223372036854775808 WHERE id = 1", "bytes_before = 1 << 61",
    ])
    func `numbers that no history has are damage, and stop no process`(change: String) throws {
        let folder = TemporaryFolder()
        do {
            let store = try SQLiteStore(StoreBench.configuration(in: folder))
            try store.transaction { transaction throws(StoreError) in
                for number in Int64(1)...2 { try transaction.appendHistory(entry(number)) }
            }
            try store.maintain("UPDATE history SET \(change)")
        }
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        #expect(throws: StoreError.damaged("the history's numbers")) {
            try store.transaction { transaction throws(StoreError) in
                _ = try transaction.historyFigures()
            }
        }
        #expect(throws: StoreError.damaged("the history's numbers")) {
            try store.transaction { transaction throws(StoreError) in
                try transaction.appendHistory(entry(3))
            }
        }
        #expect(throws: StoreError.damaged("the history's numbers")) {
            try store.transaction { transaction throws(StoreError) in
                _ = try transaction.removeHistory(HistoryBounds(byteCountMax: 0, countMax: 9))
            }
        }
    }

    @Test func `the history's index and pages are no part of the cache, either`() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        let (figures, others) = try store.transaction {
            transaction throws(StoreError) -> (HistoryFigures, Int) in
            for number in Int64(1)...500 { try transaction.appendHistory(entry(number)) }
            return (try transaction.historyFigures(), try transaction.otherByteCount())
        }
        let pathByteCount = PathKey.bytes(of: key("a/1").path).count
        #expect(figures.byteCount > 500 * (2 * pathByteCount + HistoryLimits.entryByteCount))
        #expect(others == figures.byteCount + figures.byteCount / 8)
    }

    @Test func `a slice goes by bytes, too`() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        let large = found("a/1", ["text": .string(String(repeating: "x", count: 900_000))])
        let hasMore = try store.transaction { transaction throws(StoreError) -> Bool in
            for number in Int64(1)...8 {
                try transaction.appendHistory(
                    HistoryEntry(
                        notedAt: Timestamp(seconds: number, nanoseconds: 0), event: .heard,
                        local: large))
            }
            return try transaction.removeHistory(HistoryBounds(byteCountMax: 0, countMax: 100))
        }
        #expect(hasMore)
        let count = try store.transaction { transaction throws(StoreError) in
            try transaction.historyFigures().count
        }
        #expect((1...4).contains(count))
    }
}
