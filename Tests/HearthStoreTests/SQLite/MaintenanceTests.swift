import HearthFirestore
import HearthModel
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct MaintenanceTests {
    @Test func `what is collected makes the cache smaller, and then the file`() throws {
        let bench = try StoreBench(.sqlite)
        let store = try #require(bench.store as? SQLiteStore)
        try bench.write {
            for number in 0..<2_000 {
                try $0.setRemoteDocument(found("a/\(number)", everyValue))
            }
        }
        let before = try bench.write { try $0.cacheByteCount() }
        let count = try bench.write {
            try $0.removeOrphans(usedUpTo: .max, limit: 5_000) { _ in false }
        }
        #expect(count == 2_000)
        let after = try bench.write { try $0.cacheByteCount() }
        #expect(after < before / 4)
        let pages = Int(try store.setting("PRAGMA page_count") ?? "") ?? 0
        try store.shrink(pageCountMax: 1_000_000)
        try store.checkpoint()
        let pagesLeft = Int(try store.setting("PRAGMA page_count") ?? "") ?? 0
        #expect(pagesLeft < pages / 4)
        #expect(try store.problems().isEmpty)
    }

    @Test func `revisions leave nothing behind`() throws {
        let bench = try StoreBench(.sqlite)
        func write(_ revision: Int) throws {
            try bench.write {
                for number in 0..<200 {
                    try $0.setRemoteDocument(
                        found("a/\(number)", everyValue, at: Int64(revision * 1_000)))
                }
            }
        }
        try write(1)
        let before = try bench.write { try $0.cacheByteCount() }
        for revision in 2...10 { try write(revision) }
        let after = try bench.write { try $0.cacheByteCount() }
        #expect(after < before * 3 / 2)
        let scan = DocumentScan(query: Query(path: path("a")))
        #expect(try bench.write { try $0.remoteDocuments(scan) }.scannedCount == 200)
    }
}
