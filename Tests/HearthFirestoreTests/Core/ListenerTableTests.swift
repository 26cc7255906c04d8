import HashTreeCollections
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
        #expect(Set(table.removeAll(of: halls).map(\.recipient)) == [own[1].recipient])
        #expect(table.recipients(ofSession: 7) == [own[2].recipient])
        _ = table.remove(own[2].recipient)
        #expect(table.recipients(ofSession: 7).isEmpty)
        #expect(table.count == 13)
    }

    private func snapshot(_ id: UInt64, _ documents: [Document]) -> ViewSnapshot {
        ViewSnapshot(
            query: rooms, id: SnapshotID(id), base: SnapshotID(id - 1),
            documents: DocumentSet(order: .byKey, documents),
            changes: documents.map { DocumentChange(.modified, $0) }, mutatedKeys: [],
            isFromCache: false, syncStateChanged: false, excludesMetadataChanges: false,
            hasCachedResults: true)
    }

    /// The numbers of the listeners in each delivery.
    private func numbers(_ deliveries: [ListenerTable.Delivery]) -> [[UInt64]] {
        deliveries.map {
            $0.recipients.compactMap { if case .listener(let id) = $0 { id.number } else { nil } }
        }
    }

    @Test func `listeners who want the same and were told the same are told as one`() {
        var table = ListenerTable()
        let hall = document("rooms/hall")
        let curious = Listener(
            recipient: .listener(ListenerID(session: 1, number: 2)),
            options: ListenOptions(includeMetadataChanges: true))
        for listener in [listener(1), curious, listener(3)] {
            _ = table.add(listener, to: rooms)
            let first = listener == self.listener(1) ? snapshot(1, [hall]) : nil
            let told = table.deliverFirst(first, to: listener.recipient, .online)
            #expect(told.map(\.snapshot.base) == [nil])
        }
        #expect(numbers(table.deliver(snapshot(2, [hall]), .online)) == [[1, 3], [2]])
        _ = table.remove(listener(1).recipient)
        #expect(numbers(table.deliver(snapshot(3, [hall]), .online)) == [[3], [2]])
        _ = table.add(listener(4), to: rooms)
        let late = table.deliverFirst(nil, to: listener(4).recipient, .online)
        #expect(late.map(\.snapshot.base) == [nil])
        let next = table.deliver(snapshot(4, [hall]), .online)
        #expect(numbers(next) == [[3, 4], [2]])
        #expect(next.map(\.snapshot.base) == [SnapshotID(3), SnapshotID(3)])
    }

    @Test func `a listener that is withheld leaves those who are told as one, and comes back`() {
        var table = ListenerTable()
        let hall = document("rooms/hall")
        for number: UInt64 in 1...3 { _ = table.add(listener(number), to: rooms) }
        #expect(numbers(table.deliver(snapshot(1, [hall]), .online)) == [[1, 2, 3]])
        #expect(table.setWithheld(listener(2).recipient, true) == .none)
        #expect(!table.needsBackend(listener(2).recipient))
        #expect(table.needsBackend(listener(3).recipient))
        let apart = table.deliver(snapshot(2, [hall]), .online)
        #expect(Set(numbers(apart)) == [[1, 3], [2]])
        #expect(Set(apart.map(\.snapshot.isFromCache)) == [true, false])
        #expect(table.setWithheld(listener(2).recipient, false) == .none)
        _ = table.deliver(snapshot(3, [hall]), .online)
        let again = table.deliver(snapshot(4, [hall]), .online)
        #expect(numbers(again).map { $0.sorted() } == [[1, 2, 3]])
    }

    @Test func `each read of a query is answered by itself`() {
        var table = ListenerTable()
        for session: UInt64 in 1...3 { _ = table.add(read(1, of: session), to: rooms) }
        let told = table.deliver(snapshot(1, [document("rooms/hall")]), .online)
        #expect(told.map(\.recipients) == (1...3).map { [read(1, of: $0).recipient] })
    }
}
