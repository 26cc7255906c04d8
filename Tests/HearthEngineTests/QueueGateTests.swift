import HearthModel
import Testing

@testable import HearthEngine

struct QueueGateTests {
    private let small = QueueLoad(batchCount: 1, byteCount: 10)
    private let large = QueueLoad(batchCount: 4, byteCount: 40)

    private var limits: QueueLimits {
        var limits = QueueLimits()
        limits.uidBatchCountMax = 4
        return limits
    }

    @Test func `a full queue is news once, and again after half of it has gone`() {
        var gate = QueueGate(limits: limits)
        func isNews(_ own: QueueLoad, of uid: UInt32 = 7) -> Bool? {
            gate.refusal(of: uid, own: own, all: own)?.isNews
        }
        #expect(isNews(small) == nil)
        #expect(isNews(large) == true)
        #expect(isNews(large) == false)
        #expect(isNews(large, of: 8) == true)
        // One batch less lets a write in, and the next refusal is no news.
        #expect(isNews(QueueLoad(batchCount: 3)) == nil)
        #expect(isNews(large) == false)
        #expect(isNews(small) == nil)
        #expect(isNews(large) == true)
    }

    @Test func `other limits count at once, and do not repeat what is known`() {
        var gate = QueueGate(limits: limits)
        #expect(gate.refusal(of: 7, own: large, all: large)?.error.code == .resourceExhausted)
        gate.limits.uidBatchCountMax = 5
        #expect(gate.refusal(of: 7, own: large, all: large) == nil)
        gate.limits.uidBatchCountMax = 3
        #expect(gate.refusal(of: 7, own: large, all: large)?.isNews == false)
    }
}
