import HearthModel
import HearthTestSupport
import Testing

@testable import Hearth

/// The code of the article "The Realtime Database".
extension GuideTests {
    /// Stands before Swift's own inside the suite.
    private func print(_ items: Any...) {
        said.note(items.map { "\($0)" }.joined(separator: " "))
    }

    @Test func `article, what is set is read`() async throws {
        let ref = Database.database().reference()
        try await ref.child("rooms/hall").setValue(["name": "Hall", "lights": 3])
        let hall = try await ref.child("rooms/hall").getData()
        print(hall.childSnapshot(forPath: "lights").value as? Int ?? 0)
        #expect(said.lines == ["3"])
    }

    @Test func `article, an observer is told until it is removed`() async throws {
        try await ref.child("rooms/hall").setValue(["lights": 3])
        let print: @Sendable (String) -> Void = { [said] in said.note($0) }
        let rooms = ref.child("rooms").queryOrdered(byChild: "lights").queryLimited(toLast: 10)
        let handle = rooms.observe(.childAdded) { room in
            print("\(room.key) is there")
        }
        try await said("hall is there")
        rooms.removeObserver(withHandle: handle)
        _ = try await eventually({ server.targets }, is: { $0.isEmpty })
        try await loop()
    }

    private func loop() async throws {
        server.set("rooms/hall", to: .empty)
        for try await room in ref.child("rooms/hall").values {
            print(room.value ?? "nothing")
            if !room.exists() { break }
        }
        #expect(said.lines.last == "nothing")
    }

    @Test func `article, a receipt`() async throws {
        let receipt = try await ref.updateChildValues(
            ["rooms/hall/lights": ServerValue.increment(1), "log/last": ServerValue.timestamp()],
            until: .accepted)
        try await receipt.committed()
        #expect(server.tree.node(at: "rooms/hall/lights") == Node(1))
        #expect(server.tree.node(at: "log/last") == Node(.integer(TreeDaemon.now)))
    }

    @Test func `article, a transaction`() async throws {
        let (isCommitted, visits) = try await ref.child("visits").runTransactionBlock { data in
            data.value = (data.value as? Int ?? 0) + 1
            return .success(withValue: data)
        }
        print(isCommitted, visits.value ?? 0)
        #expect(said.lines == ["true 1"])
    }

    @Test func `article, presence and scopes`() async throws {
        let isOnline = RealtimePath("rooms/hall/isOnline")
        let presence = try ref.child("rooms/hall/isOnline").showPresence(true, afterwards: false)
        _ = try await eventually(
            { server.tree.node(at: isOnline) }, is: { $0 == Node(.bool(true)) })
        presence.remove()
        _ = try await eventually(
            { server.tree.node(at: isOnline) }, is: { $0 == Node(.bool(false)) })
        try await ref.child("hosts/a/isOnline").onDisconnectSetValue(false, scope: .machine)
        #expect(server.orders.isEmpty == false)
    }

    @Test func `article, a mistake`() async throws {
        do {
            try await ref.child("rooms").setValue(["hall.lights": 3])
        } catch let error as DatabaseError where error.code == .invalidArgument {
            print(error.message)
        }
        #expect(said.lines.first?.contains("no key") == true)
    }

    @Test func `the program's shared databases go offline and online together`() async throws {
        try await ref.child("a").setValue(1)
        let before = server.withheld.count
        DatabaseReference.goOffline()
        DatabaseReference.goOnline()
        let withheld = try await eventually({ server.withheld }, is: { $0.count == before + 2 })
        #expect(withheld.suffix(2) == [true, false])
    }
}
