import HearthModel
import Testing

@testable import HearthFirestore

/// How many documents are read at once.
struct ReadingPaceTests {
    private func documents(_ count: Int, of byteCount: Int) -> [Document] {
        let text = Value.string(String(repeating: "x", count: byteCount))
        return (0..<count).map { .found(key("c/d\($0)"), at: .zero, ["text": text]) }
    }

    private func key(_ path: String) -> DocumentKey {
        guard let key = try? DocumentKey(parsing: path) else { preconditionFailure(path) }
        return key
    }

    @Test func `small documents are read many at a time, and large ones one by one`() {
        var pace = ReadingPace()
        #expect(pace.count == 4)
        pace.read(documents(4, of: 10))
        #expect(pace.count == ScanBounds.askingPeriod)
        pace.read(documents(4, of: 100_000))
        #expect(pace.count == 2)
        pace.read(documents(2, of: 1_000_000))
        #expect(pace.count == 1)
        pace.read([])
        #expect(pace.count == 1)
    }
}
