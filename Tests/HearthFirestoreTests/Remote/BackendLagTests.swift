import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// When a snapshot of an old time is a word worth telling.
struct BackendLagTests {
    private var lag = BackendLag()
    private let (first, second) = (StreamNumber(1), StreamNumber(2))

    private func at(_ seconds: Int64) -> SnapshotVersion { version(seconds * 1_000_000) }

    @Test mutating func `half a minute is passed over without a word, and more is not`() {
        #expect(!lag.passedOver(at(70), on: first, behind: at(100)))
        #expect(!lag.isBehind)
        #expect(lag.passedOver(at(69), on: first, behind: at(100)))
        #expect(lag.refusal?.code == .unavailable)
        #expect(lag.refusal?.message.contains("31 s behind") == true)
    }

    @Test mutating func `it is told once for each stream, and anew after its end`() {
        #expect(lag.passedOver(at(0), on: first, behind: at(100)))
        #expect(!lag.passedOver(at(1), on: first, behind: at(100)))
        #expect(lag.passedOver(at(99), on: second, behind: at(100)))
        lag.end()
        #expect(!lag.isBehind)
        #expect(lag.passedOver(at(0), on: second, behind: at(100)))
    }
}
