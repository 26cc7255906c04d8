import Testing

@testable import HearthCLI

struct ImporterTests {
    private func record(_ byteCount: Int) -> ImportPlan.Record {
        ImportPlan.Record(
            name: nil,
            fields: .map([
                .init(name: "s", value: .string(String(repeating: "x", count: byteCount)))
            ]))
    }

    private func counts(_ records: [ImportPlan.Record], _ pace: Importer.Pace) -> [Int] {
        let parts = pace.parts(of: records)
        #expect(parts.flatMap { $0 } == records)
        return parts.map(\.count)
    }

    @Test func `a batch has so many documents at most`() {
        let pace = Importer.Pace(documentCountMax: 2)
        #expect(counts([], pace) == [])
        #expect(counts([record(1)], pace) == [1])
        #expect(counts((0..<5).map(record), pace) == [2, 2, 1])
    }

    @Test func `a batch has so many bytes at most, and one that is too large is alone`() {
        let pace = Importer.Pace(documentCountMax: 500, byteCountMax: 4_000)
        #expect(
            counts([1_000, 1_000, 1_000, 1_000, 9_000, 10, 10].map(record), pace) == [3, 1, 1, 2])
    }

    /// Fourteen documents of a megabyte were one batch, which no backend takes.
    @Test func `large documents are sent in requests that Firestore takes`() {
        let pace = Importer.Pace()
        let parts = pace.parts(of: [ImportPlan.Record](repeating: record(1_000_000), count: 20))
        #expect(parts.map(\.count) == [8, 8, 4])
    }
}
