import HearthModel
import Testing

@testable import HearthGateway

/// The last pictures of one target.
struct SentHistoryTests {
    private func history(upTo last: Int) -> SentHistory {
        let picture = SentHistory.Picture(DocumentSet(order: Query(path: .root).order))
        var history = SentHistory()
        for number in 1...last {
            history.append(UInt64(number), picture, told: [WatchedRooms.key("r\(number)")])
        }
        return history
    }

    private func names(_ numbers: ClosedRange<Int>) -> Set<DocumentKey> {
        Set(numbers.map { WatchedRooms.key("r\($0)") })
    }

    @Test(arguments: [8, 9, 15, 16, 17, 40])
    func `a client may return to the last eight pictures, and to none before`(last: Int) {
        let history = history(upTo: last)
        let oldest = last - SentHistory.countMax + 1
        #expect(history.names(toldAfter: UInt64(oldest - 1)) == nil)
        #expect(history.names(toldAfter: UInt64(oldest)) == names(oldest + 1...last))
        #expect(history.names(toldAfter: UInt64(last - 1)) == names(last...last))
        #expect(history.names(toldAfter: UInt64(last)) == [])
    }

    @Test func `a target that was shown nothing has no picture to return to`() {
        #expect(SentHistory().names(toldAfter: 0) == nil)
        #expect(SentHistory().latest == nil)
    }
}
