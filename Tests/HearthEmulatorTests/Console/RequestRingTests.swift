import HearthModel
import Testing

@testable import HearthEmulator

/// Which requests are kept.
struct RequestRingTests {
    private func entry(_ method: String, byteCount: Int = 0) -> RequestEntry {
        RequestEntry(
            at: Timestamp(seconds: 0, nanoseconds: 0), duration: .zero, method: method,
            database: nil, paths: [String(repeating: "x", count: byteCount)], pathCount: 1,
            asker: .nobody, error: nil, verdicts: [])
    }

    @Test func `requests are told newest first, from a number on`() {
        var ring = RequestRing()
        for method in ["a", "b", "c"] { ring.add(entry(method)) }
        #expect(ring.entries(after: 0).map(\.method) == ["c", "b", "a"])
        #expect(ring.entries(after: 0).map(\.number) == [3, 2, 1])
        #expect(ring.entries(after: 2).map(\.method) == ["c"])
        #expect(ring.entries(after: 3).isEmpty)
        #expect(ring.entries(after: .max - 1).isEmpty)
        #expect(ring.entries(after: -5).count == 3)
    }

    @Test func `no more requests are kept than the count allows`() {
        var ring = RequestRing(countMax: 10)
        for number in 1...1_000 { ring.add(entry("\(number)")) }
        #expect(ring.count == 10)
        #expect(ring.total == 1_000)
        #expect(ring.entries(after: 0).map(\.number) == Array((991...1_000).reversed()))
    }

    @Test func `no more bytes are kept than the limit allows, but the newest request always is`() {
        var ring = RequestRing(countMax: 1_000, byteCountMax: 100_000)
        for _ in 1...500 { ring.add(entry("a", byteCount: 1_000)) }
        #expect(ring.byteCount <= 100_000)
        #expect((50..<100).contains(ring.count))
        ring.add(entry("large", byteCount: 1_000_000))
        #expect(ring.entries(after: 0).map(\.method) == ["large"])
        ring.add(entry("small"))
        #expect(ring.entries(after: 0).map(\.method) == ["small"])
        #expect(ring.byteCount < 1_000)
    }
}
