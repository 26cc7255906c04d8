import CSQLite
import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct DurabilityTests {
    private func fill(_ store: SQLiteStore) throws {
        try store.transaction { transaction throws(StoreError) in
            try transaction.setRemoteDocument(found("a/1", everyValue))
            try transaction.append(batch(1, set("a/2")))
            try transaction.addKeys([key("a/1"), key("a/3")], to: TargetID(2), at: 4)
            var globals = try transaction.globals()
            globals.lastBatchID = BatchID(1)
            try transaction.setGlobals(globals)
        }
    }

    private func expectFilled(_ store: SQLiteStore) throws {
        try store.transaction { transaction throws(StoreError) in
            let document = try transaction.remoteDocument(key("a/1"))
            let queued = try transaction.batch(BatchID(1), of: .unauthenticated)
            let keys = try transaction.keys(of: TargetID(2))
            let globals = try transaction.globals()
            #expect(document.fields == everyValue)
            #expect(queued == batch(1, set("a/2")))
            #expect(keys.sorted() == [key("a/1"), key("a/3")])
            #expect(globals.lastBatchID == BatchID(1))
        }
    }

    @Test func `a store that was closed opens as it was`() throws {
        let folder = TemporaryFolder()
        let version = try { () throws -> StoreVersion in
            let store = try SQLiteStore(StoreBench.configuration(in: folder))
            try fill(store)
            return store.version
        }()
        let again = try SQLiteStore(StoreBench.configuration(in: folder))
        #expect(again.version == version)
        try expectFilled(again)
    }

    @Test func `what was committed survives a kill, what was not does not`() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        try fill(store)
        try store.begin()
        try store.turn { transaction throws(StoreError) in
            try transaction.setRemoteDocument(found("a/lost"))
            for number in 0..<500 {
                try transaction.setRemoteDocument(found("b/\(number)", everyValue))
            }
        }
        let crashed = TemporaryFolder()
        for name in ["hearth.db", "hearth.db-wal"] { try folder.copy(name, to: crashed) }
        try store.commit()
        let again = try SQLiteStore(StoreBench.configuration(in: crashed))
        try expectFilled(again)
        let lost = try again.transaction { transaction throws(StoreError) in
            try transaction.remoteDocument(key("a/lost"))
        }
        #expect(!lost.isValid)
        #expect(try again.problems().isEmpty)
    }

    @Test(arguments: [true, false])
    func `nothing is accepted into a file that was removed or replaced`(isReplaced: Bool) throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let store = try SQLiteStore(configuration)
        try fill(store)
        let away = configuration.path + "-away"
        #expect(rename(configuration.path, away) == 0)
        if isReplaced {
            close(open(configuration.path, O_CREAT | O_WRONLY, 0o600))
        }
        #expect {
            try store.transaction { transaction throws(StoreError) in
                try transaction.setRemoteDocument(found("a/lost"))
            }
        } throws: { error in
            "\(error)".contains("was removed or replaced while this program had it open")
        }
        try expectFilled(store)
        #expect(rename(away, configuration.path) == 0)
        try store.transaction { transaction throws(StoreError) in
            try transaction.setRemoteDocument(found("a/kept"))
        }
        try expectFilled(store)
    }

    @Test func `a file with a second name is refused, because each name has a log of its own`()
        throws
    {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        let other = StoreConfiguration(
            path: "\(folder.path)/other.db", database: StoreBench.database)
        let store = try SQLiteStore(configuration)
        try fill(store)  // The log has what the file has not.
        try #require(link(configuration.path, other.path) == 0)
        // Were it opened, SQLite would look into the other name's log for pages of the first's.
        #expect(throws: StoreError.self) { _ = try SQLiteStore(other) }
        #expect(throws: StoreError.self) { try SystemErrors.expectOneName(of: configuration.path) }
        try #require(unlink(other.path) == 0)
        try expectFilled(store)
        #expect(try store.problems().isEmpty)
    }

    @Test func `each commit that changes something raises the version, others do not`() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        let first = store.version
        try fill(store)
        #expect(store.version == first.next)
        try store.transaction { transaction throws(StoreError) in
            _ = try transaction.remoteDocument(key("a/1"))
            try transaction.setGlobals(try transaction.globals())
        }
        #expect(store.version == first.next)
        let read = try store.readers.read { reader throws(StoreError) in
            try reader.localDocument(key("a/1"), of: .unauthenticated)
        }
        #expect(read.version == store.version)
    }

    @Test func `the log is synced with every commit`() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore(StoreBench.configuration(in: folder))
        #expect(try store.setting("PRAGMA synchronous") == "2")
        #expect(try store.setting("PRAGMA journal_mode") == "wal")
        #expect(try store.setting("PRAGMA auto_vacuum") == "2")
    }

    @Test func `a second daemon is kept out until the first is gone`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        do {
            let first = try SQLiteStore(configuration)
            #expect(throws: StoreError.locked("\(folder.path)/hearth.db-lock")) {
                _ = try SQLiteStore(configuration)
            }
            #expect(throws: StoreError.self) { try configuration.files.remove() }
            _ = first.version
        }
        _ = try SQLiteStore(configuration)
        try configuration.files.remove()
        #expect(folder.files.isEmpty)
    }

    @Test func `another database's file is refused, and so is no database at all`() throws {
        let folder = TemporaryFolder()
        _ = try SQLiteStore(StoreBench.configuration(in: folder))
        let other = StoreConfiguration(
            path: "\(folder.path)/hearth.db", database: DatabaseID(project: "other"))
        #expect(throws: StoreError.self) { _ = try SQLiteStore(other) }
        try folder.write(String(repeating: "This is no database. ", count: 100), to: "junk.db")
        let junk = StoreConfiguration(
            path: "\(folder.path)/junk.db", database: StoreBench.database)
        do {
            _ = try SQLiteStore(junk)
            Issue.record("Junk was opened")
        } catch {
            guard case .damaged = error else {
                Issue.record("Junk was \(error)")
                return
            }
        }
    }
}
