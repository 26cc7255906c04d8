import HashTreeCollections
import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

struct ListenerTests {
    private let rooms = collection("rooms")
    private let me = Recipient.listener(ListenerID(session: 1, number: 1))

    private func snapshot(
        _ id: UInt64, _ documents: [Document], changes: [DocumentChange] = [],
        isFromCache: Bool = false, syncStateChanged: Bool = false, hasCachedResults: Bool = false
    ) -> ViewSnapshot {
        ViewSnapshot(
            query: rooms, id: SnapshotID(id), base: SnapshotID(id - 1),
            documents: DocumentSet(order: .byKey, documents), changes: changes,
            mutatedKeys: TreeSet(documents.filter(\.hasLocalMutations).map(\.key)),
            isFromCache: isFromCache, syncStateChanged: syncStateChanged,
            excludesMetadataChanges: false, hasCachedResults: hasCachedResults)
    }

    private func listener(_ options: ListenOptions = ListenOptions()) -> Listener {
        Listener(recipient: me, options: options)
    }

    @Test func `the first snapshot shows everything as added`() {
        var listener = listener()
        let hall = document("rooms/hall")
        let told = listener.told(of: snapshot(3, [hall]), .online)
        #expect(told != nil && told?.base == nil)
        #expect(told?.changes == [DocumentChange(.added, hall)])
    }

    @Test func `an empty cached result waits until the backend has spoken or is offline`() {
        var listener = listener()
        let empty = snapshot(1, [], isFromCache: true)
        #expect(listener.told(of: empty, .unknown) == nil)
        #expect(listener.told(of: .online, latest: empty) == nil)
        #expect(listener.told(of: .offline, latest: empty) != nil)
        #expect(listener.told(of: .offline, latest: empty) == nil)
    }

    @Test func `an empty cached result of a target heard before is told at once`() {
        var listener = listener()
        let empty = snapshot(1, [], isFromCache: true, hasCachedResults: true)
        #expect(listener.told(of: empty, .unknown) != nil)
    }

    @Test func `who waits for sync is told of the cache only when offline`() {
        var listener = listener(ListenOptions(waitForSyncWhenOnline: true))
        let cached = snapshot(1, [document("rooms/hall")], isFromCache: true)
        #expect(listener.told(of: cached, .unknown) == nil)
        #expect(listener.told(of: .offline, latest: cached) != nil)
    }

    @Test func `changes of flags are told on request only, and never lost`() {
        let hall = document("rooms/hall", pending: .localMutations)
        let synced = document("rooms/hall", at: 2)
        let den = document("rooms/den")
        var plain = listener()
        var curious = listener(ListenOptions(includeMetadataChanges: true))
        for step in [0, 1] {
            let first = snapshot(1, [hall])
            _ = step == 0 ? plain.told(of: first, .online) : curious.told(of: first, .online)
        }
        let flag = snapshot(2, [synced], changes: [DocumentChange(.metadata, synced)])
        #expect(plain.told(of: flag, .online) == nil)
        #expect(curious.told(of: flag, .online)?.changes == [DocumentChange(.metadata, synced)])
        let next = snapshot(3, [den, synced], changes: [DocumentChange(.added, den)])
        let told = plain.told(of: next, .online)
        #expect(told?.base == SnapshotID(1))
        #expect(told?.refreshed == [synced.key])
        #expect(told?.changes == [DocumentChange(.added, den)])
    }

    @Test func `the end of a departure alone is told on request only`() {
        let den = document("rooms/den")
        var plain = listener(ListenOptions(includeMetadataChanges: true))
        var patient = listener(
            ListenOptions(includeMetadataChanges: true, tellsDepartures: true))
        _ = plain.told(of: snapshot(1, [den]), .online)
        _ = patient.told(of: snapshot(1, [den]), .online)
        var settled = snapshot(2, [den])
        #expect(patient.told(of: settled, .online) == nil)
        settled.settledDepartures = [key("rooms/hall")]
        #expect(plain.told(of: settled, .online) == nil)
        #expect(patient.told(of: settled, .online)?.settledDepartures == [key("rooms/hall")])
        // A plain listener goes on from what it has.
        let next = snapshot(3, [], changes: [DocumentChange(.removed, den)])
        #expect(plain.told(of: next, .online)?.base == SnapshotID(1))
        #expect(patient.told(of: next, .online)?.base == SnapshotID(2))
    }

    @Test func `becoming synced is told on request only`() {
        var plain = listener()
        var curious = listener(ListenOptions(includeMetadataChanges: true))
        let cached = snapshot(1, [document("rooms/hall")], isFromCache: true)
        _ = plain.told(of: cached, .online)
        _ = curious.told(of: cached, .online)
        let synced = snapshot(2, [document("rooms/hall")], syncStateChanged: true)
        #expect(plain.told(of: synced, .online) == nil)
        #expect(curious.told(of: synced, .online)?.isFromCache == false)
    }
}
