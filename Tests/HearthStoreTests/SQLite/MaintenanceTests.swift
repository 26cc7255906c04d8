import HearthFirestore
import HearthModel
import Testing

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

    @Test func `answered writes are forgotten by age and by count, waiting ones never`() throws {
        let bench = try StoreBench(.sqlite)
        let store = try #require(bench.store as? SQLiteStore)
        let client = ClientID(high: 1, low: 2)
        func identity(_ number: Int64) -> WriteIdentity {
            WriteIdentity(uid: 1, client: client, sequence: UInt64(number))
        }
        for number in Int64(1)...6 {
            try bench.write {
                try $0.append(batch(number, set("a/\(number)")))
                let outcome =
                    number == 1 ? WriteOutcome.pending : .committed(at: version(number))
                try $0.setRecord(
                    WriteRecord(batch: BatchID(number), outcome: outcome), of: identity(number))
            }
        }
        func kept() throws -> [Int64] {
            try bench.write { transaction in
                try (Int64(1)...6).filter { try transaction.record(of: identity($0)) != nil }
            }
        }
        try store.pruneRecords(
            keeping: 100, notedBefore: Timestamp(seconds: 1_003, nanoseconds: 7))
        #expect(try kept() == [1, 3, 4, 5, 6])
        try store.pruneRecords(keeping: 2, notedBefore: Timestamp(seconds: 0, nanoseconds: 0))
        #expect(try kept() == [1, 5, 6])
        func forgotten(_ client: ClientID) throws -> UInt64 {
            try bench.write { try $0.forgottenBelow(of: client, uid: 1) }
        }
        #expect(try forgotten(client) == 5)
        #expect(try forgotten(ClientID(high: 77, low: 0)) == 0)
    }
}
