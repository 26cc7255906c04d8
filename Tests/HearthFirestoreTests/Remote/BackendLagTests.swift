import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// When a snapshot of an old time is a word worth telling.
struct BackendLagTests {
    private var lag = BackendLag()
    private let first = StreamNumber(1)
    private let second = StreamNumber(2)

    private func at(_ seconds: Int64) -> SnapshotVersion { version(seconds * 1_000_000) }

    /// Whether a snapshot is worth telling, behind one of second 100.
    private mutating func isTold(_ seconds: Int64, on stream: StreamNumber) -> Bool {
        lag.passedOver(at(seconds), on: stream, behind: at(100))
    }

    @Test mutating func `half a minute is passed over without a word, and more is not`() {
        #expect(isTold(70, on: first) == false)
        #expect(!lag.isBehind)
        #expect(isTold(69, on: first) == true)
        #expect(lag.refusal?.code == .unavailable)
        #expect(lag.refusal?.message.contains("31 s behind") == true)
    }

    @Test mutating func `it is told once for each stream, and anew after its end`() {
        #expect(isTold(0, on: first) == true)
        #expect(isTold(1, on: first) == false)
        #expect(isTold(99, on: second) == true)
        lag.end()
        #expect(!lag.isBehind)
        #expect(isTold(0, on: second) == true)
    }

    @Test mutating func `a lag of moments counts once somebody has waited long enough`() {
        #expect(lag.lasted() == false)
        #expect(isTold(95, on: first) == false)
        #expect(!lag.isBehind)
        #expect(lag.lasted() == true)
        #expect(lag.refusal?.message.contains("5 s behind") == true)
        #expect(lag.lasted() == false)
        #expect(isTold(99, on: first) == false)
        lag.end()
        #expect(lag.lasted() == false)
        #expect(!lag.isBehind)
    }

    @Test mutating func `a lag of less than a second is told in words`() {
        #expect(lag.passedOver(version(99_999_999), on: first, behind: at(100)) == false)
        #expect(lag.lasted() == true)
        #expect(lag.refusal?.message.contains("less than a second behind") == true)
    }
}
