import Glibc
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthStore

/// When the log is copied, and by whom.
struct CheckpointTests {
    @Test func `a copy is due after so many new pages, not after each commit of a long log`() {
        var progress = LogProgress(pageCount: 1_500, copiedCount: 1_400)
        #expect(progress.step(at: 1_510) == .wait)
        #expect(progress.step(at: 1_500 + StoreLimits.checkpointPageCount) == .copy)
    }

    @Test func `a log that a reader holds back is not copied again with each commit`() {
        let count = StoreLimits.logPageCountMax + 500
        var progress = LogProgress(pageCount: count, copiedCount: 0)
        #expect(progress.step(at: count + 1) == .wait)
        #expect(progress.step(at: count + StoreLimits.checkpointPageCount) == .finish)
    }

    @Test func `the writer finishes a long log of which little is left`() {
        let count = StoreLimits.logRestartPageCount
        var progress = LogProgress(pageCount: count - 10, copiedCount: count - 10)
        #expect(progress.step(at: count) == .finish)
        #expect(progress.step(at: count + StoreLimits.logTailPageCountMax) == .copy)
        progress = LogProgress(pageCount: count - 10, copiedCount: count - 11)
        #expect(progress.step(at: count) == .wait)
    }

    @Test func `a log that has begun anew is counted anew`() {
        var progress = LogProgress(pageCount: 5_000, copiedCount: 5_000)
        #expect(progress.step(at: 12) == .wait)
        #expect(progress == LogProgress())
        #expect(progress.step(at: StoreLimits.checkpointPageCount) == .copy)
    }

    @Test func `a log that is written to all the time begins anew, and nothing is lost`() throws {
        let folder = TemporaryFolder()
        var configuration = StoreBench.configuration(in: folder)
        configuration.intakeByteCount = 0  // So that each group is a commit.
        let commitCount = 3_000
        do {
            let store = try SQLiteStore(configuration)
            for number in 1...commitCount {
                try store.transaction { transaction throws(StoreError) in
                    try transaction.append(batch(Int64(number), set("a/\(number)")))
                }
            }
            let limit = 2 * StoreLimits.logRestartPageCount * 4_120
            var status = stat()
            try #require(stat(configuration.path + "-wal", &status) == 0)
            #expect(status.st_size < limit)
            #expect(try store.problems().isEmpty)
        }
        let again = try SQLiteStore(configuration)
        let counts = try again.readers.read { reader throws(StoreError) in try reader.counts() }
        #expect(counts.value.batchCount == commitCount)
    }
}
