import HearthEngine
import HearthFirestore
import HearthModel
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct FailureTests {
    private func bench() throws -> (store: SQLiteStore, bench: StoreBench) {
        let bench = try StoreBench(.sqlite)
        let store = try #require(bench.store as? SQLiteStore)
        return (store, bench)
    }

    @Test func `a full disk is told as such, and nothing of the group has happened`() throws {
        let (store, bench) = try bench()
        try bench.write { try $0.setRemoteDocument(found("a/1")) }
        let pages = try store.setting("PRAGMA page_count") ?? "0"
        try store.maintain("PRAGMA max_page_count = \(pages)")
        try store.begin()
        try bench.turn { try $0.touch([key("a/1")], at: 9) }
        do {
            try bench.turn {
                for number in 0..<2_000 {
                    try $0.setRemoteDocument(found("full/\(number)", everyValue))
                }
            }
            Issue.record("The disk was not full")
        } catch let error as StoreError {
            guard case .full = error else {
                Issue.record("A full disk was \(error)")
                return
            }
        }
        // SQLite may have ended the whole group, or only the turn; either way it says so.
        if store.isGroupOpen { try store.commit() } else { store.rollback() }
        try store.maintain("PRAGMA max_page_count = 1000000")
        try bench.write { try $0.setRemoteDocument(found("full/1")) }
        let scan = DocumentScan(query: Query(path: path("full")))
        #expect(try bench.write { try $0.remoteDocuments(scan) }.documents.count == 1)
        #expect(try store.problems().isEmpty)
    }

    @Test func `a statement that fails undoes its turn alone`() throws {
        let (store, bench) = try bench()
        try store.maintain(
            """
            CREATE TRIGGER fail BEFORE INSERT ON bundles
            BEGIN SELECT RAISE(ABORT, 'planted'); END
            """)
        try store.begin()
        try bench.turn { try $0.setRemoteDocument(found("a/1")) }
        #expect(throws: StoreError.self) {
            try bench.turn {
                try $0.setRemoteDocument(found("a/2"))
                try $0.setBundle(BundleRecord(id: "b", createdAt: version(1), version: 1))
            }
        }
        #expect(store.isGroupOpen)
        try bench.turn { try $0.setRemoteDocument(found("a/3")) }
        try store.commit()
        let read = try bench.write {
            try $0.remoteDocuments([key("a/1"), key("a/2"), key("a/3")])
        }
        #expect(read[key("a/1")]?.isFound == true)
        #expect(read[key("a/2")]?.isValid == false)
        #expect(read[key("a/3")]?.isFound == true)
    }

    @Test(arguments: [1, 2])
    func `a failure that ends the whole group is noticed`(turnsBefore: Int) throws {
        let (store, bench) = try bench()
        try bench.write { try $0.setRemoteDocument(found("a/0")) }
        try store.maintain(
            """
            CREATE TRIGGER fail BEFORE INSERT ON bundles
            BEGIN SELECT RAISE(ROLLBACK, 'planted'); END
            """)
        let version = store.version
        try store.begin()
        for number in 1...turnsBefore {
            try bench.turn {
                try $0.setRemoteDocument(found("new\(number)/1"))
                var globals = try $0.globals()
                globals.sequenceNumber = 77
                try $0.setGlobals(globals)
            }
        }
        #expect(throws: StoreError.self) {
            try bench.turn {
                try $0.setBundle(
                    BundleRecord(id: "b", createdAt: HearthStoreTests.version(1), version: 1))
            }
        }
        #expect(!store.isGroupOpen)
        store.rollback()
        #expect(store.version == version)
        #expect(try bench.write { try $0.globals() }.sequenceNumber == 0)
        #expect(try bench.write { try !$0.remoteDocument(key("new1/1")).isValid })
        try bench.write { try $0.setRemoteDocument(found("new1/2")) }
        #expect(try bench.write { try $0.collections(inGroup: "new1") } == [path("new1")])
    }

    @Test func `a file that cannot be written says so`() throws {
        let (store, bench) = try bench()
        try bench.write { try $0.setRemoteDocument(found("a/0")) }
        try store.maintain("PRAGMA query_only = 1")
        #expect(throws: StoreError.self) {
            try bench.write { try $0.setRemoteDocument(found("a/1")) }
        }
        #expect(!store.isGroupOpen)
        #expect(try bench.write { try $0.remoteDocument(key("a/0")) }.isFound)
        try store.maintain("PRAGMA query_only = 0")
        try bench.write { try $0.setRemoteDocument(found("a/1")) }
    }

    @Test func `damaged rows are damage, and their turn is undone`() throws {
        let (store, bench) = try bench()
        try bench.write {
            try $0.setRemoteDocument(found("a/1"))
            try $0.append(batch(1, set("a/1")))
        }
        try store.maintain("UPDATE remote_documents SET content = x'FFFF'")
        try store.maintain("UPDATE mutations SET writes = x'05010203'")
        #expect(throws: StoreError.self) {
            try bench.write { try $0.remoteDocument(key("a/1")) }
        }
        #expect(throws: StoreError.self) {
            try bench.write { try $0.batch(BatchID(1), of: .unauthenticated) }
        }
        try store.maintain("UPDATE remote_documents SET kind = 9")
        #expect(throws: StoreError.damaged("the kind of a/1")) {
            try bench.write { try $0.remoteDocument(key("a/1")) }
        }
    }
}
