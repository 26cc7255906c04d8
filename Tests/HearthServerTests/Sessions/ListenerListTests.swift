import HearthEngine
import HearthModel
import HearthWire
import Synchronization
import Testing

@testable import HearthServer

/// Lists for operators fit a frame, whatever programs listen to.
struct ListenerListTests {
    private func rows(_ count: Int, _ text: @escaping @Sendable (Int) -> String) -> [ListenerList
        .Row]
    {
        (1...count).map { number in
            ListenerList.Row(
                place: Inspection.Place(session: UInt64(number / 10 + 1), row: UInt32(number % 10)),
                process: Writer(
                    uid: 1, gid: 1, pid: 1, unit: String(repeating: "u", count: 255),
                    program: String(repeating: "p", count: WireLimits.programByteCountMax)),
                database: .firestore(DatabaseID(project: "demo")), text: ListenerText(text(number)))
        }
    }

    @Test func `a long text is cut, and tells how long it was`() {
        let list = ListenerList(
            rows(1) { _ in String(repeating: "é", count: 1_000_000) },
            goingOnBehind: nil)
        let query = list.described().listeners[0].query
        #expect(query.utf8.count < 1_200)
        #expect(query.hasSuffix("… (2000000 bytes)"))
        #expect(list.described().next == nil)
    }

    @Test func `a part ends at its rows or at its texts, fits a frame, and tells where it goes on`()
        throws
    {
        let text = String(repeating: "x", count: 2_000)
        let rows = rows(2_500) { _ in text }
        let part = ListenerList(rows, goingOnBehind: nil).described()
        #expect(part.listeners.count == 2_000)
        #expect(part.next == rows[1_999].place)
        let frame = try WireCodec(database: DatabaseID(project: "demo"))
            .frame(of: .report(.inspection(part)))
        #expect(frame.body.count < Frame.bodyByteCountMax / 2)

        let made = Atomic(0)
        let large = self.rows(100) { _ in
            made.add(1, ordering: .relaxed)
            return String(repeating: "x", count: 1 << 20)
        }
        let short = ListenerList(large, goingOnBehind: 99).described()
        #expect(short.listeners.count == 8 && short.next == large[7].place)
        #expect(made.load(ordering: .relaxed) == 8)
    }

    @Test func `behind the last row of the sessions that were asked, other sessions follow`() {
        let part = ListenerList(rows(3) { "\($0)" }, goingOnBehind: 7).described()
        #expect(part.next == Inspection.Place(session: 7, row: .max))
        #expect(ListenerList([], goingOnBehind: nil).described().next == nil)
    }

    @Test func `a page of batches takes the first, and no more than fits`() {
        let most = PageBudget.byteCountMax
        #expect(PageBudget.part(of: [2 * most, 1], byteCount: \.self).count == 1)
        #expect(PageBudget.part(of: [most / 2, most / 2, 1], byteCount: \.self).count == 2)
        #expect(PageBudget.part(of: [1, 1, 1], countMax: 2, byteCount: \.self).count == 2)
        #expect(PageBudget.part(of: [.max, .max, .min], byteCount: \.self).count == 1)
        #expect(PageBudget.part(of: [Int](), byteCount: \.self).isEmpty)
    }
}
