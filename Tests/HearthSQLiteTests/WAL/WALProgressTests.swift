import HearthTestSupport
import Testing

@testable import HearthSQLite

/// When the log is copied, by whom, and who waits for it: one struct, pages then steps.
struct WALProgressTests {
    private static let copyDue = StoreLimits.checkpointPageCount
    private static let long = StoreLimits.walRestartPageCount

    struct Case: CustomTestStringConvertible {
        let what: String
        let progress: WALProgress
        let count: Int
        let step: WALProgress.Step

        var testDescription: String { what }

        init(
            _ what: String, _ pageCount: Int, copied: Int? = nil, isSynced: Bool = true,
            at count: Int, _ step: WALProgress.Step
        ) {
            self.what = what
            progress = WALProgress(
                pageCount: pageCount, copiedCount: copied ?? pageCount, isSynced: isSynced)
            self.count = count
            self.step = step
        }
    }

    static let cases = [
        Case("a short log with few new pages", 1_500, at: 1_499 + copyDue, .wait),
        Case("a short log with enough", 1_500, at: 1_500 + copyDue, .copy),
        Case("a short log held back, few", 1_500, copied: 1_400, at: 1_510, .wait),
        Case("a short log held back, enough", 1_500, copied: 9, at: 1_500 + copyDue, .copy),
        Case("a long log of which little is left", long - 10, at: long, .finish),
        Case("a long log of which nothing is left", long, at: long, .finish),
        Case("a long log of which an eighth is left", long * 7 / 8, at: long, .finish),
        Case("a long log of which more is left", long * 7 / 8 - 1, at: long, .copy),
        Case("a long log, its file not synced", long - 10, isSynced: false, at: long, .copy),
        Case("a long log held back, few", long, copied: 9, at: long + copyDue - 1, .wait),
        Case("a long log held back, enough", long, copied: 9, at: long + copyDue, .copy),
        Case("a very long log, little left", 200_000, at: 201_600, .finish),
        Case("a very long log, much left", 200_000, at: 201_601, .copy),
        Case("a very long log held back", 200_000, copied: 9, at: 200_000 + copyDue, .copy),
    ]

    @Test(arguments: cases)
    func `what is due follows from the pages that are new and that are copied`(_ example: Case) {
        var progress = example.progress
        #expect(progress.step(at: example.count, of: 0) == example.step)
    }

    @Test(arguments: [12, 5_000, 5_010])
    func `a log that has begun anew is counted anew, long or short`(count: Int) {
        var progress = WALProgress(pageCount: 5_000, copiedCount: 5_000, isSynced: false)
        _ = progress.step(at: count, of: 1)
        #expect(progress == WALProgress(number: 1))
        #expect(progress.step(at: StoreLimits.checkpointPageCount, of: 1) == .copy)
        #expect(progress.step(at: StoreLimits.walRestartPageCount, of: 1) == .copy)
    }

    @Test(arguments: [
        (Self.long, 8_000, 0),
        (Self.long + StoreLimits.walPausePageCount / 4, 400, 100),
        (Self.long + StoreLimits.walPausePageCount, 400, 400),
        (Self.long + StoreLimits.walPausePageCount, 60_000, 4_000),
        (Self.long + 2 * StoreLimits.walPausePageCount, 400, 800),
        (StoreLimits.walPageCountMax, 60_000, 4_000),
        (2 * StoreLimits.walPageCountMax, 60_000, 8_000),
        (8 * StoreLimits.walPageCountMax, 60_000, 32_000),
    ])
    func `the writer pauses in proportion to its group and to the log, and never for long`(
        count: Int, work: Int, pause: Int
    ) {
        let found = WALProgress.pause(after: .microseconds(work), at: count)
        #expect(abs(found / .microseconds(1) - Double(pause)) < 1)
    }

    @Test func `a longer log never means a shorter pause`() {
        for work in [100, 4_000, 40_000] {
            let pauses = stride(from: 0, to: 300_000, by: 1_000).map {
                WALProgress.pause(after: .microseconds(work), at: $0)
            }
            #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        }
    }

    @Test(arguments: [
        (10, 100, 100), (100 << 20, 48 << 20, 68 << 20), (68 << 20, 48 << 20, 48 << 20),
        (100 << 20, 0, 0),
    ])
    func `a long log is cut off a part at a time`(present: Int64, asked: Int64, left: Int64) {
        #expect(WALFile.size(cutting: present, to: asked) == left)
    }
}
