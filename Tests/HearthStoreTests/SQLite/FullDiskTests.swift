import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// A store on a disk that fills up under it and has room again: what was accepted is there, what was
/// refused is not, and the next write works without anybody's help.
@Suite(.serialized, .enabled(if: FullDisk.isAllowed, "file systems may be mounted"))
struct FullDiskTests {
    private let disk: FullDisk

    init() throws {
        disk = try FullDisk(byteCount: 64 << 20)
    }

    private func configuration(keepsLog: Bool = true) -> StoreConfiguration {
        var configuration = StoreBench.configuration(in: disk.folder)
        if !keepsLog { configuration.intakeByteCount = 0 }
        return configuration
    }

    /// What a store said of writes.
    private final class Ledger {
        var accepted: [Int64] = []
        var refused: [Int64] = []
        private var last: Int64 = 0

        /// Writes; whether it was accepted. Any other refusal than for want of room is an issue.
        @discardableResult
        func write(_ fields: MapValue = ["n": .integer(1)], in store: SQLiteStore) -> Bool {
            last += 1
            let number = last
            do {
                try store.transaction { transaction throws(StoreError) in
                    try transaction.append(batch(number, set("a/\(number)", fields)))
                    let identity = WriteIdentity(
                        uid: 1, client: IntakeActs.client, sequence: UInt64(number))
                    try transaction.setRecord(
                        WriteRecord(batch: BatchID(number), outcome: .pending), of: identity)
                }
                accepted.append(number)
                return true
            } catch .full {
                refused.append(number)
            } catch {
                Issue.record("write \(number) was refused with \(error)")
            }
            return false
        }

        /// Writes until so many in a row are refused.
        func writeUntilFull(
            _ fields: MapValue, in store: SQLiteStore, refusedCount: Int = 5
        ) throws {
            var count = 0
            while count < refusedCount {
                count = write(fields, in: store) ? 0 : count + 1
                try #require(last < 100_000, "the disk does not fill up")
            }
        }

        /// Compares a store, and the store that a crash would leave now, with the answers that
        /// callers got.
        func check(_ store: SQLiteStore, on disk: FullDisk) throws {
            #expect(try Self.numbers(in: store) == accepted)
            let (again, _) = try StoreBench.crashed(disk.folder)
            #expect(try Self.numbers(in: again) == accepted)
            #expect(try again.problems().isEmpty)
        }

        private static func numbers(in store: SQLiteStore) throws -> [Int64] {
            try store.transaction { transaction throws(StoreError) in
                var numbers: [Int64] = []
                var last = BatchID(0)
                while let next = try transaction.nextBatch(after: last, of: .unauthenticated) {
                    last = next.batch.id
                    numbers.append(last.rawValue)
                }
                return numbers
            }
        }
    }

    private func byteCount(of store: SQLiteStore) throws -> Int {
        try store.checkpoint()
        return disk.folder.byteCount(of: "hearth.db")
    }

    private static func text(_ byteCount: Int) -> MapValue {
        ["text": .string(String(repeating: "x", count: byteCount))]
    }

    @Test(arguments: [true, false])
    func `a write that finds no room is refused, and the next one that finds some is taken`(
        keepsLog: Bool
    ) throws {
        let store = try SQLiteStore(configuration(keepsLog: keepsLog))
        let ledger = Ledger()
        for _ in 0..<10 { #expect(ledger.write(in: store)) }
        for room in [100 << 10, 0, 10 << 10] {
            try disk.fill(leaving: room)
            try ledger.writeUntilFull(Self.text(1_000), in: store)
            // Whatever the last commit could write of itself was given back.
            let walByteCount = 32 + store.connection.walPageCount * 4_120
            #expect(disk.folder.byteCount(of: "hearth.db-wal") <= walByteCount)
            try ledger.check(store, on: disk)
            disk.makeRoom()
            for _ in 0..<10 { #expect(ledger.write(in: store)) }
            try ledger.check(store, on: disk)
        }
        #expect(ledger.refused.count >= 15)
    }

    @Test func `neither log nor database has room, then both have`() throws {
        let store = try SQLiteStore(configuration())
        let ledger = Ledger()
        for _ in 0..<10 { #expect(ledger.write(in: store)) }
        let path = store.configuration.path + "-intake"
        let broken = try #require(
            SwappedFile(Descriptors.of(path).first, for: path, access: O_RDONLY))
        try disk.fill()
        try ledger.writeUntilFull(Self.text(1_000), in: store)
        broken.putBack()
        try ledger.check(store, on: disk)
        disk.makeRoom()
        for _ in 0..<10 { #expect(ledger.write(in: store)) }
        try ledger.check(store, on: disk)
    }

    @Test func `without room for the intake log writes are commits, until it can be made`() throws {
        let store = try SQLiteStore(configuration())
        let ledger = Ledger()
        try disk.fill(leaving: StoreLimits.smallIntakeByteCount / 2)
        #expect(ledger.write(in: store))
        #expect(store.intake.log == nil)
        try ledger.writeUntilFull(Self.text(1_000), in: store)
        try ledger.check(store, on: disk)
        disk.makeRoom()
        for _ in 0...StoreLimits.intakeRestCount {
            try #require(ledger.write(in: store))
        }
        #expect(ledger.write(in: store))
        #expect(store.intake.log != nil)
        try ledger.check(store, on: disk)
    }

    @Test func `copying the log into the file meets the full disk, and goes on when there is room`()
        throws
    {
        let store = try SQLiteStore(configuration(keepsLog: false))
        let ledger = Ledger()
        #expect(ledger.write(in: store))
        // Room for the log up to where it is copied, and for the file to grow by a part of that.
        try disk.fill(leaving: (StoreLimits.checkpointPageCount + 1_000) * 4_120)
        try ledger.writeUntilFull(Self.text(40_000), in: store)
        let grown = disk.folder.byteCount(of: "hearth.db")
        try ledger.check(store, on: disk)
        disk.makeRoom()
        for _ in 0..<10 { #expect(ledger.write(in: store)) }
        try store.checkpoint()
        #expect(disk.folder.byteCount(of: "hearth.db") > grown)
        // All of the log is in the file now, and it begins anew.
        let walByteCount = disk.folder.byteCount(of: "hearth.db-wal")
        for _ in 0..<10 { #expect(ledger.write(in: store)) }
        #expect(disk.folder.byteCount(of: "hearth.db-wal") <= walByteCount)
        try ledger.check(store, on: disk)
    }

    @Test(arguments: [true, false])
    func `on a full disk the cache is collected, forgotten and given back`(isRunning: Bool) throws {
        var opened: SQLiteStore? = try SQLiteStore(configuration())
        for part in 0..<20 {
            try opened?.transaction { transaction throws(StoreError) in
                for number in 0..<500 {
                    try transaction.setRemoteDocument(
                        found("a/\(part * 500 + number)", Self.text(1_500)))
                }
            }
        }
        try opened?.checkpoint()
        // Without a connection the log is gone, and has to grow anew where there is hardly any room.
        if !isRunning { opened = nil }
        try disk.fill(leaving: 3 << 20)
        let store = try opened ?? SQLiteStore(configuration(keepsLog: false))
        let before = try byteCount(of: store)
        try #require(before > 16 << 20)
        var place = CollectionPlace()
        var failureCount = 0
        /// Slices go on behind a failed slice, as their timer starts them; twice in a row is too
        /// often.
        func repeatedly(_ slice: () throws -> Bool) throws {
            var failedCount = 0
            while failedCount < 2 {
                do {
                    if try !slice() { return }
                    failedCount = 0
                } catch StoreError.full {
                    failedCount += 1
                    failureCount += 1
                }
            }
            Issue.record("no slice has room, not even the second time")
        }
        try repeatedly {
            var next = place
            _ = try store.transaction { transaction throws(StoreError) in
                try transaction.removeOrphans(usedUpTo: .max, from: &next, limit: 200) { _ in
                    false
                }
            }
            place = next
            return !place.isAtEnd
        }
        try repeatedly { try store.shrink(pageCountMax: 64) }
        try repeatedly {
            try store.pruneRecords(
                keeping: 0, notedBefore: Timestamp(seconds: 0, nanoseconds: 0))
        }
        #expect(isRunning || failureCount > 0, "it was never full")
        let after = try byteCount(of: store)
        #expect(after < before / 4)
        let ledger = Ledger()
        #expect(ledger.write(in: store))
        try ledger.check(store, on: disk)
    }

    @Test func `an index whose filling meets the full disk is filled when there is room`() throws {
        let store = try SQLiteStore(configuration(keepsLog: false))
        for part in 0..<20 {
            try store.transaction { transaction throws(StoreError) in
                for number in 0..<500 {
                    let name = "a/\(part * 500 + number)"
                    try transaction.setRemoteDocument(found(name, Self.text(400)))
                }
            }
        }
        let index = try #require(FieldIndex("a", [.init(FieldPath(["text"]))]))
        _ = try store.transaction { transaction throws(StoreError) in
            try transaction.addIndex(index, isAutomatic: false)
        }
        try store.checkpoint()
        func fill() throws -> Bool {
            try store.transaction { transaction throws(StoreError) in
                try !transaction.backfillIndexes(countMax: 500).isDone
            }
        }
        try disk.fill()
        var failedCount = 0
        while failedCount < 2 {
            do {
                try #require(try fill(), "the index was filled without room")
            } catch StoreError.full {
                failedCount += 1
            }
        }
        disk.makeRoom()
        while try fill() {}
        #expect(try store.problems().isEmpty)
        let entryCount = try store.connection.number("SELECT count(*) FROM index_entries")
        #expect(entryCount == 10_000)
    }
}
