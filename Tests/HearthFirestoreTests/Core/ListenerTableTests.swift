import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

struct ListenerTableTests {
    private let rooms = collection("rooms")

    private func listener(
        _ number: UInt64, of session: UInt64 = 1, isCacheOnly: Bool = false
    ) -> Listener {
        Listener(
            recipient: .listener(ListenerID(session: session, number: number)),
            options: ListenOptions(isCacheOnly: isCacheOnly))
    }

    private func read(_ number: UInt64, of session: UInt64) -> Listener {
        Listener(
            recipient: .read(RequestID(session: session, number: number), .default),
            options: ListenOptions())
    }

    @Test
    func `the first and the last of a query, and of those who need the backend, are told apart`() {
        var table = ListenerTable()
        #expect(table.add(listener(1, isCacheOnly: true), to: rooms) == .open(watches: false))
        #expect(table.add(listener(2), to: rooms) == .startWatching)
        #expect(table.add(listener(3), to: rooms) == .none)
        #expect(table.watches(rooms))
        #expect(table.remove(listener(2).recipient) == .none)
        #expect(table.remove(listener(3).recipient) == .stopWatching)
        #expect(!table.watches(rooms))
        #expect(table.remove(listener(1).recipient) == .close(watches: false))
        #expect(table.remove(listener(1).recipient) == .none)
        #expect(table.add(listener(4), to: rooms) == .open(watches: true))
        #expect(table.remove(listener(4).recipient) == .close(watches: true))
        #expect(table.count == 0)
    }

    @Test func `a session's recipients are its own, of every kind and query`() {
        var table = ListenerTable()
        let halls = collection("halls")
        let own = [listener(1, of: 7), listener(2, of: 7), read(1, of: 7)]
        for (listener, query) in zip(own, [rooms, halls, rooms]) {
            _ = table.add(listener, to: query)
        }
        for session: UInt64 in 8...20 { _ = table.add(listener(1, of: session), to: rooms) }
        #expect(Set(table.recipients(ofSession: 7)) == Set(own.map(\.recipient)))
        _ = table.remove(own[0].recipient)
        #expect(Set(table.recipients(ofSession: 7)) == Set(own.dropFirst().map(\.recipient)))
        #expect(Set(table.removeAll(of: halls)) == [own[1].recipient])
        #expect(table.recipients(ofSession: 7) == [own[2].recipient])
        _ = table.remove(own[2].recipient)
        #expect(table.recipients(ofSession: 7).isEmpty)
        #expect(table.count == 13)
    }
}
