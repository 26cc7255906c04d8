import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthConsole

/// What pages are told of each database.
struct OverviewTests {
    /// The text of one database's overview.
    private func text(_ change: (inout StatusReport) -> Void) -> String {
        var report = StatusReport(database: .firestore(DatabaseID(project: "demo")))
        change(&report)
        let overview = Overview(statuses: [DaemonStatus(report)], identity: nil, causes: [:])
        let json = overview.json(at: Hearth.Timestamp(seconds: 100, nanoseconds: 0), told: .zero)
        return String(decoding: JSONWriter.bytes(of: json), as: UTF8.self)
    }

    private static let counts = [
        "queueBatches", "heldBatches", "deadLetters", "targets", "cachedDocuments", "cacheBytes",
    ]

    @Test(arguments: counts)
    func `a count is a number, 0 too`(name: String) {
        #expect(text { _ in }.contains("\"\(name)\":0"))
    }

    @Test(arguments: counts)
    func `a count that nobody knows is null`(name: String) {
        let text = text {
            $0.degradedReasons = ["The cache cannot be used."]
            $0.hasUnknownCounts = true
        }
        #expect(text.contains("\"\(name)\":null"))
        #expect(text.contains("\"deadLetterCauses\":null"))
        #expect(text.contains("\"clients\":0"))
    }
}
