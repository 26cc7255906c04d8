import HearthModel
import Testing

@testable import Hearth

@testable import HearthCLI

struct SnapshotTextTests {
    private func document(_ name: String) -> DocumentText {
        DocumentText(
            path: "rooms/\(name)", fields: .map([]), hasPendingWrites: false, isFromCache: false)
    }

    private func snapshot(_ names: [String], changed: String? = nil) -> SnapshotText {
        SnapshotText(
            number: 2, count: names.count, isFromCache: false, hasPendingWrites: false,
            changes: changed.map {
                [.init(type: .modified, document: document($0), oldIndex: 0, newIndex: 0)]
            } ?? [],
            documents: names.map(document))
    }

    @Test func `a terminal shows the whole result, with a sign at what changed`() {
        let lines = snapshot(["attic", "hall"], changed: "hall").screen(lineCountMax: 24)
        #expect(lines == ["snapshot 2: 2 documents", "    rooms/attic {}", "  ~ rooms/hall {}"])
    }

    @Test func `what does not fit on the screen is counted`() {
        let lines = snapshot((1...30).map { "room\($0)" }).screen(lineCountMax: 10)
        #expect(lines.count == 9)
        #expect(lines.last == "    and 23 more")
    }

    @Test func `rejected writes are told with their number and the reason`() throws {
        let metadata = SnapshotMetadata(
            hasPendingWrites: false, isFromCache: false,
            rejectedWrites: [
                .init(BatchID(17), HearthError(code: .permissionDenied, message: "No."))
            ])
        var text = snapshot(["hall"], changed: "hall")
        #expect(!text.report.line.contains("rejectedWrites"))
        text.rejectedWrites = metadata.rejectedWrites
        let reason = try #require(metadata.rejectedWrites.first).error.description
        let line = "  ! batch 17 was rejected: \(reason)"
        #expect(text.lines == ["snapshot 2: 1 document", line, "  ~ rooms/hall {}"])
        #expect(
            text.screen(lineCountMax: 24)
                == ["snapshot 2: 1 document", line, "  ~ rooms/hall {}"])
        #expect(text.report.line.contains(#""rejectedWrites":[{"batch":17,"#))
    }

    @Test func `in a pipe only the changes are told`() {
        #expect(
            snapshot(["attic", "hall"], changed: "hall").lines
                == ["snapshot 2: 2 documents", "  ~ rooms/hall {}"])
    }
}
