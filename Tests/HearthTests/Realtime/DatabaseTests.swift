import Dispatch
import HearthModel
import HearthTestSupport
import HearthWire
import Synchronization
import Testing

@testable import Hearth

/// The whole library against a small database in memory, over a real socket.
struct DatabaseTests {
    private let server: TreeDaemon
    private let database: Database
    private let ref: DatabaseReference
    private let told = Told()

    init() throws {
        server = try TreeDaemon()
        database = server.daemon.realtime()
        ref = database.reference()
    }

    /// What closures were told, in order.
    private final class Told: Sendable {
        private let state = Mutex<[String]>([])

        func note(_ line: String) { state.withLock { $0.append(line) } }

        var lines: [String] { state.withLock { $0 } }

        /// Waits until so much was told.
        func lines(_ count: Int) async throws -> [String] {
            try await eventually({ lines }, is: { $0.count >= count })
        }
    }

    @Test func `what is set is read, and what is updated and removed too`() async throws {
        try await ref.child("rooms/hall").setValue(["name": "Hall", "lights": 3])
        try await ref.child("rooms").updateChildValues(["hall/lights": 4, "attic/lights": 1])
        let snapshot = try await ref.child("rooms").getData()
        #expect(snapshot.childSnapshot(forPath: "hall/lights").value as? Int == 4)
        #expect(snapshot.childrenCount == 2)
        try await ref.child("rooms/hall").removeValue()
        #expect(try await !ref.child("rooms/hall").getData().exists())
        try await ref.child("rooms/attic").setPriority(7)
        #expect(try await ref.child("rooms/attic").getData().priority as? Int == 7)
        try await ref.child("a").setValue("x", andPriority: "p")
        #expect(try await ref.child("a").getData().priority as? String == "p")
    }

    @Test func `completions are told of writes, in their order`() async throws {
        let told = told
        ref.child("a").setValue(1) { error, ref in told.note("set \(ref.key ?? "") \(error as Any)")
        }
        ref.child("a").setValue(2, andPriority: 3) { error, _ in told.note("prioritized") }
        ref.child("a").setPriority(4) { error, _ in told.note("moved") }
        ref.updateChildValues(["b": 1], withCompletionBlock: { _, _ in told.note("updated") })
        ref.updateChildValues([:]) { _, _ in told.note("nothing") }
        ref.child("b").removeValue(completionBlock: { _, _ in told.note("removed") })
        let lines = try await told.lines(6)
        #expect(lines.contains("nothing"))
        #expect(
            lines.filter { $0 != "nothing" } == [
                "set a nil", "prioritized", "moved", "updated", "removed",
            ])
        #expect(server.tree == (try Node(json: #"{"a":{".value":2,".priority":4}}"#)))
    }

    @Test func `a receipt tells when a write is accepted and when committed`() async throws {
        let receipt = try await ref.child("a").setValue(1, until: .accepted)
        #expect(try await receipt.accepted() == 1)
        try await receipt.committed()
        let nothing = try await ref.updateChildValues([:], until: .committed)
        #expect(try await nothing.accepted() == 0)
        try await ref.child("a").setPriority(2, until: .committed)
        try await ref.child("a").removeValue(until: .committed)
        #expect(server.tree.isEmpty)
    }

    @Test func `a refused write and a value that cannot be written are errors`() async throws {
        server.refuse(HearthError(code: .permissionDenied, message: "Permission denied"))
        let error = await #expect(throws: DatabaseError.self) {
            try await ref.child("a").setValue(1)
        }
        #expect(error?.code == .permissionDenied)
        let told = told
        ref.child("a").setValue(1) { error, _ in told.note("\(error as? DatabaseError == nil)") }
        ref.child("a").setValue(Double.nan) { error, _ in
            told.note("\((error as? DatabaseError)?.code == .invalidArgument)")
        }
        #expect(Set(try await told.lines(2)) == ["false", "true"])
    }

    @Test func `observers of one query share one listen, until the last is removed`() async throws {
        let told = told
        try await ref.child("rooms/hall").setValue(1)
        let rooms = ref.child("rooms")
        let first = rooms.observe(.value) { told.note("value \($0.childrenCount)") }
        let second = rooms.observe(
            .childAdded,
            andPreviousSiblingKeyWith: { snapshot, previous in
                told.note("added \(snapshot.key) \(previous ?? "-")")
            })
        #expect(Set(try await told.lines(2)) == ["value 1", "added hall -"])
        #expect(server.listenCount == 1)
        try await rooms.child("attic").setValue(2)
        #expect(try await told.lines(4).suffix(2) == ["added attic -", "value 2"])
        rooms.removeObserver(withHandle: first)
        try await rooms.child("yard").setValue(3)
        #expect(try await told.lines(5).last == "added yard hall")
        rooms.removeObserver(withHandle: second)
        _ = try await eventually({ server.targets }, is: { $0.isEmpty })
        rooms.observe(.value) { told.note("again \($0.childrenCount)") }
        #expect(try await told.lines(6).last == "again 3")
        rooms.removeAllObservers()
        _ = try await eventually({ server.targets }, is: { $0.isEmpty })
    }

    @Test func `a query shows its children in its order`() async throws {
        try await ref.child("rooms").setValue(["a": ["n": 3], "b": ["n": 1], "c": ["n": 2]])
        let query = ref.child("rooms").queryOrdered(byChild: "n").queryLimited(toFirst: 2)
        #expect(try await query.getData().children.map(\.key) == ["b", "c"])
        let event = try await query.observeSingleEvent(of: .value)
        #expect(event.children.map(\.key) == ["b", "c"])
        let (child, previous) = try await query.observeSingleEventAndPreviousSiblingKey(
            of: .childAdded)
        #expect(child.key == "b" && previous == nil)
        let wrong = ref.queryLimited(toFirst: 0)
        await #expect(throws: DatabaseError.self) { try await wrong.getData() }
        let told = told
        wrong.observe(.value, with: { _ in }, withCancel: { _ in told.note("cancelled") })
        wrong.getData { error, snapshot in told.note("\(error != nil) \(snapshot == nil)") }
        #expect(Set(try await told.lines(2)) == ["cancelled", "true true"])
    }

    @Test func `a single event comes once, and its listen ends`() async throws {
        let told = told
        try await ref.child("a").setValue(1)
        ref.child("a").observeSingleEvent(
            of: .value, with: { told.note("\($0.value as? Int ?? 0)") })
        ref.observeSingleEvent(of: .childAdded) { snapshot, previous in
            told.note("\(snapshot.key) \(previous as Any)")
        }
        #expect(Set(try await told.lines(2)) == ["1", "a nil"])
        _ = try await eventually({ server.targets }, is: { $0.isEmpty })
    }

    @Test func `loops see values and events`() async throws {
        var values = ref.child("n").values.makeAsyncIterator()
        #expect(try await values.next()?.value == nil)
        try await ref.child("n").setValue(1)
        #expect(try await values.next()?.value as? Int == 1)
        var events = ref.events(.childAdded, .childRemoved).makeAsyncIterator()
        let added = try #require(try await events.next())
        #expect(added.type == .childAdded && added.snapshot.key == "n")
        try await ref.child("n").removeValue()
        #expect(try await events.next()?.type == .childRemoved)
        let database = database
        let loop = Task {
            for try await _ in database.reference(withPath: "elsewhere").values {}
            return true
        }
        _ = try await eventually({ server.listenCount }, is: { $0 == 3 })
        loop.cancel()
        #expect(try await loop.value)
        _ = try await eventually({ server.targets.map(\.path) }, is: { !$0.contains("elsewhere") })
    }

    @Test func `a restart of the daemon restores observers, orders and unanswered writes`()
        async throws
    {
        let told = told
        ref.child("a").observe(.value) { told.note("\($0.value as? Int ?? 0)") }
        #expect(try await told.lines(1) == ["0"])
        try await ref.child("here").onDisconnectSetValue(false)
        server.restart()
        _ = try await eventually({ server.sessionCount }, is: { $0 == 2 })
        try await ref.child("a").setValue(5)
        #expect(try await told.lines(2) == ["0", "5"])
        #expect(
            server.orders == [.write(.set(WritePath("here"), UnresolvedNode(Node(.bool(false)))))])
    }

    @Test func `orders for the end are given and taken back`() async throws {
        let told = told
        try await ref.child("a").onDisconnectSetValue(1, andPriority: 2)
        try await ref.child("a").onDisconnectRemoveValue()
        try await ref.onDisconnectUpdateChildValues(["b": 1], scope: .machine)
        try await ref.child("a").cancelDisconnectOperations()
        ref.child("c").onDisconnectSetValue(1) { error, _ in told.note("set \(error == nil)") }
        ref.child("c").onDisconnectSetValue(1, andPriority: 1) { _, _ in told.note("prioritized") }
        ref.child("c").onDisconnectRemoveValue { _, _ in told.note("removed") }
        ref.onDisconnectUpdateChildValues(["c": 1]) { _, _ in told.note("updated") }
        ref.child("c").cancelDisconnectOperations { _, _ in told.note("cancelled") }
        #expect(
            try await told.lines(5) == [
                "set true", "prioritized", "removed", "updated", "cancelled",
            ])
        #expect(server.orders.count == 9)
        await #expect(throws: DatabaseError.self) {
            try await ref.child("a").onDisconnectSetValue(Double.nan)
        }
    }

    @Test func `presence is shown again after a restart, and ends when it is removed`()
        async throws
    {
        let presence = try ref.child("here").showPresence(true, afterwards: false)
        _ = try await eventually({ server.tree.child("here") }, is: { $0 == Node(.bool(true)) })
        server.set("here", to: Node(.bool(false)))
        server.restart()
        _ = try await eventually({ server.tree.child("here") }, is: { $0 == Node(.bool(true)) })
        #expect(!server.orders.isEmpty)
        presence.remove()
        _ = try await eventually({ server.tree.child("here") }, is: { $0 == Node(.bool(false)) })
    }

    @Test func `a presence that ends while it is being shown stays ended`() async throws {
        let here = ref.child("here")
        for _ in 0..<200 {
            try here.showPresence(true, afterwards: false).remove()
        }
        // Writes keep their order, so this write comes behind every write of a presence.
        try await ref.child("last").setValue(1)
        #expect(server.tree.child("here") == Node(.bool(false)))
    }

    @Test func `keys are made by the backend's clock once it is known`() async throws {
        server.set(".info/serverTimeOffset", to: Node(.integer(1_000_000_000_000)))
        let early = try #require(ref.childByAutoId().key)
        try await ref.child("a").setValue(1)
        let late = try await eventually({ ref.childByAutoId().key ?? "" }, is: { $0 > "-X" })
        #expect(early < "-X" && late > early)
    }

    @Test func `without the daemon the program is not connected`() async throws {
        let told = told
        ref.child(".info/connected").observe(.value) { told.note("\($0.value as? Bool as Any)") }
        _ = try await eventually({ told.lines }, is: { $0.last == "Optional(true)" })
        server.restart()
        let lines = try await eventually(
            { told.lines },
            is: { $0.contains("Optional(false)") && $0.last == "Optional(true)" && $0.count > 1 })
        #expect(!lines.contains("nil"))
    }

    @Test func `a program goes offline and online, keeps places, and takes writes back`()
        async throws
    {
        database.goOffline()
        database.goOnline()
        database.purgeOutstandingWrites()
        ref.child("kept").keepSynced(true)
        ref.child("kept").keepSynced(true)
        try await database.waitForPendingWrites()
        try await database.waitForPendingWrites(of: .thisDatabase)
        #expect(server.withheld == [true, false])
        #expect(server.targets == [ListenTarget("kept", .all)])
        ref.child("kept").keepSynced(false)
        _ = try await eventually({ server.targets }, is: { $0.isEmpty })
    }

    @Test func `closures run on the queue that the program names`() async throws {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "test")
        queue.setSpecific(key: key, value: true)
        database.callbackQueue = queue
        #expect(database.callbackQueue === queue)
        let told = told
        ref.child("a").setValue(1) { _, _ in
            told.note("\(DispatchQueue.getSpecific(key: key) == true)")
        }
        #expect(try await told.lines(1) == ["true"])
    }

    @Test func `conditions on the daemon are set before the first request`() async throws {
        let database = server.daemon.realtime()
        #expect(!database.isPersistenceEnabled)
        #expect(database.persistenceCacheSizeBytes == 0)
        database.isPersistenceEnabled = true
        database.persistenceCacheSizeBytes = 50 << 20
        database.useEmulator(withHost: "localhost", port: 9_000)
        #expect(database.isPersistenceEnabled)
        #expect(database.persistenceCacheSizeBytes == 50 << 20)
        // This daemon does not tell how it is set up, so nobody knows whether it will do.
        let error = await #expect(throws: DatabaseError.self) {
            try await database.reference().getData()
        }
        #expect(error?.code == .failedPrecondition)
        database.isPersistenceEnabled = true  // In use, but nothing changes.
    }
}
