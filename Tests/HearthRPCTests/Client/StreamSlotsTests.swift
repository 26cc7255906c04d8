import Testing

@testable import HearthRPC

struct StreamSlotsTests {
    private struct Row: Sendable {
        let calls: Int
        let leaving: Int
        let max: Int
        let resetsRest: Bool
        let place: StreamSlots.Place

        init(
            _ calls: Int, _ leaving: Int, _ max: Int, _ resetsRest: Bool, _ place: StreamSlots.Place
        ) {
            (self.calls, self.leaving, self.max) = (calls, leaving, max)
            (self.resetsRest, self.place) = (resetsRest, place)
        }
    }

    private static let table = [
        // calls, leaving, at most, resets rest
        Row(0, 0, 2, false, .here),
        Row(1, 0, 2, false, .here),
        Row(2, 0, 2, false, .queue),
        Row(3, 0, 2, false, .queue),  // The server takes fewer than before.
        Row(0, 0, 0, false, .queue),
        // The resets leave with the next flush.
        Row(1, 1, 2, false, .queue),
        Row(0, 2, 2, false, .queue),
        // The resets wait up to a minute.
        Row(0, 1, 2, true, .here),
        Row(1, 1, 2, true, .elsewhere),
        Row(0, 2, 2, true, .elsewhere),
        Row(0, 3, 2, true, .elsewhere),
        // Calls alone take all places, or there are none: another connection would be no help.
        Row(2, 1, 2, true, .queue),
        Row(2, 0, 2, true, .queue),
        Row(0, 1, 0, true, .queue),
    ]

    @Test func `a call begins here, waits, or goes elsewhere`() {
        for row in Self.table {
            let slots = StreamSlots(
                callCount: row.calls, leavingCount: row.leaving, countMax: row.max,
                resetsRest: row.resetsRest)
            #expect(slots.next == row.place, "\(row)")
        }
    }
}
