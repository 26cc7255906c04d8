import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// An opening with a log and a database, if either is damaged, older or newer.
struct IntakeRecoveryTests {
    private let folder = TemporaryFolder()

    private var configuration: StoreConfiguration { StoreBench.configuration(in: folder) }
    private var logPath: String { configuration.path + "-intake" }

    /// A store whose log has the batches from 2 on.
    private func filled(to last: Int64) throws -> SQLiteStore {
        let store = try SQLiteStore(configuration)
        for number in Int64(1)...last { try IntakeActs.accept(number, in: store) }
        try #require(store.intake.pendingCount == Int(last) - 1)
        return store
    }

    /// A copy of the files as they are, without what a crash leaves behind.
    private func copied() throws -> TemporaryFolder {
        let copy = TemporaryFolder()
        for name in ["hearth.db", "hearth.db-wal", "hearth.db-intake"] {
            try folder.copy(name, to: copy)
        }
        return copy
    }

    private func batches(of store: SQLiteStore) throws -> [Int64] {
        try IntakeActs.state(of: store).batches.map(\.rawValue)
    }

    @Test
    func `a write to the log that a power cut tears was never accepted, and nothing else is lost`()
        throws
    {
        let store = try filled(to: 12)
        var states: [IntakeActs.State] = []
        let page = IntakePages.byteCount
        for number in Int64(13)...20 {
            states.append(try IntakeActs.state(of: store))
            let before = try bytes(of: logPath)
            try IntakeActs.accept(number, in: store)
            let after = try bytes(of: logPath)
            let changed = stride(from: 0, to: after.count, by: page).filter {
                before[$0..<($0 + page)] != after[$0..<($0 + page)]
            }
            let start = try #require(changed.first)
            #expect(changed.count == 1)
            for cut in [0, 1, 40, 500, 512, 2_048, 4_000] {
                let copy = try copied()
                let torn = Array(
                    after[start..<(start + cut)] + [UInt8](repeating: 0xA5, count: page - cut))
                try overwrite("\(copy.path)/hearth.db-intake", at: start, torn)
                let again = try SQLiteStore(StoreBench.configuration(in: copy))
                let count = try batches(of: again).count
                let isWhole = count == Int(number)
                #expect(isWhole || count == Int(number) - 1)
                if !isWhole { #expect(try IntakeActs.state(of: again) == states.last) }
                if !isWhole { try IntakeActs.accept(number, in: again) }
                #expect(try batches(of: again) == Array(1...number))
            }
        }
    }

    @Test func `a damaged record is told of, and what is around it is saved`() throws {
        let store = try filled(to: 5)
        let copy = try copied()
        let configuration = StoreBench.configuration(in: copy)
        // The record of version 3, in each page that has it.
        var log = try bytes(of: logPath)
        var count = 0
        log.withUnsafeMutableBytes { log in
            for place in 0..<(4 * IntakePages.byteCount) {
                let record = IntakeRecord(
                    in: UnsafeRawBufferPointer(log), at: place, salt: store.intake.log?.salt ?? 0)
                guard record?.version == StoreVersion(3) else { continue }
                log[place + 60] ^= 1
                count += 1
            }
        }
        #expect(count == 2)
        try overwrite(configuration.path + "-intake", at: 0, log)
        #expect(throws: StoreError.damaged("its intake log has a gap")) {
            _ = try SQLiteStore(configuration)
        }
        let path = configuration.files.setAsidePath(at: Timestamp(seconds: 5, nanoseconds: 0))
        let salvage = try SQLiteStore.setAside(configuration, to: path)
        #expect(salvage.batches.map(\.batch.id.rawValue) == [1, 2, 4, 5])
        #expect(salvage.records.count == 4)
        #expect(
            salvage.problems == [
                "accepted writes between versions 2 and 4",
                "of the batches 2 to 5, 1 left no trace (3), each answered before, never given out, "
                    + "or lost",
            ])
        #expect(copy.files.contains("hearth.db.damaged-5-intake"))
        #expect(!copy.files.contains("hearth.db-intake"))
    }

    @Test func `one damaged place of a page that was filled later does no harm`() throws {
        let store = try filled(to: 5)
        let expected = try IntakeActs.state(of: store)
        for place in [0, IntakePages.byteCount] {
            let copy = try copied()
            try overwrite("\(copy.path)/hearth.db-intake", at: place, [1, 2, 3, 4])
            let again = try SQLiteStore(StoreBench.configuration(in: copy))
            let isOlder = try batches(of: again).count == 4
            #expect(try isOlder || IntakeActs.state(of: again) == expected)
        }
    }

    @Test func `a log older than its database adds nothing`() throws {
        let store = try filled(to: 5)
        let old = try bytes(of: logPath)
        for number in Int64(6)...9 { try IntakeActs.accept(number, in: store) }
        try store.settle()
        let expected = try IntakeActs.rows(of: store)
        let copy = try copied()
        try overwrite("\(copy.path)/hearth.db-intake", at: 0, old)
        let again = try SQLiteStore(StoreBench.configuration(in: copy))
        #expect(again.version == StoreVersion(9))
        #expect(try IntakeActs.rows(of: again) == expected)
    }

    @Test func `a log newer than its database is not applied to it`() throws {
        let store = try filled(to: 5)
        let old = try copied()
        try store.probe()  // Syncs the database, so that the log begins anew.
        for number in Int64(6)...9 { try IntakeActs.accept(number, in: store) }
        try #require(store.intake.pendingCount == 4)
        try overwrite("\(old.path)/hearth.db-intake", at: 0, try bytes(of: logPath))
        #expect(throws: StoreError.damaged("its intake log has a gap")) {
            _ = try SQLiteStore(StoreBench.configuration(in: old))
        }
    }

    @Test func `the log of an earlier program, with a page for each record, is taken up`() throws {
        let store = try filled(to: 6)
        let expected = try IntakeActs.state(of: store)
        let salt = try #require(store.intake.log?.salt)
        let copy = try copied()
        // What that program left: one record after the other, each at the beginning of a page.
        let log = try bytes(of: logPath)
        let found = log.withUnsafeBytes {
            IntakePages.contents(of: $0, salt: salt, behind: StoreVersion(1))
        }
        try #require(found.records.count == 5)
        var pages = [UInt8](repeating: 0, count: 256 * IntakePages.byteCount)
        pages.withUnsafeMutableBytes { pages in
            for (place, record) in found.records.enumerated() {
                let page = pages[(place * IntakePages.byteCount)...]
                record.write(to: UnsafeMutableRawBufferPointer(rebasing: page), salt: salt)
            }
        }
        let configuration = StoreBench.configuration(in: copy)
        try #require(truncate(configuration.path + "-intake", off_t(pages.count)) == 0)
        try overwrite(configuration.path + "-intake", at: 0, pages)
        do {
            let connection = try Connection(path: configuration.path, isReadOnly: false)
            try OldSchema.takeBackNinthStep(connection)
            try connection.execute("PRAGMA user_version = 7")
        }
        let again = try SQLiteStore(configuration)
        #expect(again.migratedFrom == 7)
        #expect(try IntakeActs.state(of: again).withoutPromises == expected.withoutPromises)
        try IntakeActs.accept(7, in: again)
        let (third, _) = try StoreBench.crashed(copy)
        #expect(try batches(of: third) == [1, 2, 3, 4, 5, 6, 7])
    }

    private func bytes(of path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY)
        try #require(file >= 0)
        defer { close(file) }
        var status = stat()
        try #require(fstat(file, &status) == 0)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        try #require(pread(file, &bytes, bytes.count, 0) == bytes.count)
        return bytes
    }

    private func overwrite(_ path: String, at place: Int, _ bytes: [UInt8]) throws {
        let file = open(path, O_WRONLY)
        try #require(file >= 0)
        defer { close(file) }
        try #require(pwrite(file, bytes, bytes.count, off_t(place)) == bytes.count)
    }
}
