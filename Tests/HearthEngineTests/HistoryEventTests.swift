import HearthEngine
import HearthModel
import Testing

/// The kinds of steps in a history, which store, wire and library share.
struct HistoryEventTests {
    private let write = HistoryWrite(
        batch: BatchID(7), user: UserID("ada"), writer: Writer(uid: 1, gid: 2, pid: 3))
    private let error = HearthError(code: .aborted, message: "No.")

    private var events: [HistoryEvent] {
        [
            .known, .heard, .accepted(write), .edited(write), .committed(write),
            .rejected(write, error), .withdrawn(write, error),
        ]
    }

    @Test func `an event is made of its kind, its write and its error, and of nothing else`() {
        #expect(events.map(\.kind) == HistoryEvent.Kind.allCases)
        for event in events {
            #expect(HistoryEvent(event.kind, event.write, event.error) == event)
            #expect(HistoryEvent(event.kind, event.write == nil ? write : nil, event.error) == nil)
            #expect(HistoryEvent(event.kind, event.write, event.error == nil ? error : nil) == nil)
        }
    }

    @Test func `numbers and names stay, since stores, daemons and scripts have them`() {
        let names = [
            "known", "heard", "accepted", "edited", "committed", "rejected", "withdrawn",
        ]
        #expect(HistoryEvent.Kind.allCases.map(\.name) == names)
        #expect(HistoryEvent.Kind.allCases.map(\.rawValue) == Array(0..<7))
    }
}
