import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// What several programs may count on when they listen.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SharedListeningTests {
    @Test func `a write in one program shows in others before any backend is there`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let (writer, reader) = (machine.client(), machine.client())
        var rooms = reader.collection("rooms").snapshots.makeAsyncIterator()
        _ = try await rooms.first { $0.isEmpty }
        try await writer.document("rooms/hall").setData(["lights": 1], until: .accepted)
        let seen = try await rooms.first { $0.count == 1 }
        #expect(seen.metadata.hasPendingWrites)
        #expect(seen.metadata.isFromCache)
    }

    @Test func `equal queries of many programs are one target, released with the last`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let observer = machine.client()
        let counts = (0..<3).map { _ in Count() }
        var listeners: [any ListenerRegistration] = []
        for count in counts {
            let rooms = machine.client().collection("rooms").order(by: "lights")
            listeners.append(
                rooms.addSnapshotListener { snapshot, _ in count.set(snapshot?.count) })
            _ = try await eventually {
                count.value
            } is: {
                $0 == 0
            }
        }
        let status = try await observer.daemonStatus()
        #expect(status.listenerCount == 3)
        #expect(status.targetCount == 1)
        for listener in listeners.dropLast() { listener.remove() }
        _ = try await eventually {
            try await observer.daemonStatus().listenerCount
        } is: {
            $0 == 1
        }
        // Another machine's write still comes, by the one target that is left.
        let elsewhere = try world.machine("elsewhere").client()
        try await elsewhere.document("rooms/hall").setData(["lights": 1])
        _ = try await eventually {
            counts[2].value
        } is: {
            $0 == 1
        }
        #expect(counts[0].value == 0)
        listeners.last?.remove()
        _ = try await eventually {
            try await observer.daemonStatus().listenerCount
        } is: {
            $0 == 0
        }
        // Nobody listens any more, so no snapshot comes any more.
        try await elsewhere.document("rooms/attic").setData(["lights": 2])
        let cached = try await observer.collection("rooms").getDocuments(source: .cache)
        #expect(cached.count == 1)
    }

    @Test func `a program that terminates releases what it listened to, the others go on`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let (client, observer) = (machine.client(), machine.client())
        let count = Count()
        _ = client.collection("rooms").addSnapshotListener { snapshot, _ in
            count.set(snapshot?.count)
        }
        _ = try await eventually {
            count.value
        } is: {
            $0 == 0
        }
        #expect(try await observer.daemonStatus().listenerCount == 1)
        try await client.terminate()
        _ = try await eventually {
            try await observer.daemonStatus().listenerCount
        } is: {
            $0 == 0
        }
        try await observer.document("rooms/hall").setData(["lights": 1], until: .accepted)
        let error = await #expect(throws: FirestoreError.self) {
            try await client.document("rooms/hall").getDocument(source: .cache)
        }
        #expect(error?.code == .failedPrecondition)
    }

    @Test func `all listeners are told before they are said to be in sync`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let (writer, reader) = (machine.client(), machine.client())
        let told = Mutex<[String]>([])
        let rooms = reader.collection("rooms").addSnapshotListener { snapshot, _ in
            told.withLock { $0.append("rooms \(snapshot?.count ?? -1)") }
        }
        let hall = reader.document("rooms/hall").addSnapshotListener { snapshot, _ in
            told.withLock { $0.append("hall \(snapshot?.exists ?? false)") }
        }
        _ = try await eventually {
            told.withLock { $0 }
        } is: {
            $0.contains("rooms 0") && $0.contains("hall false")
        }
        let sync = reader.addSnapshotsInSyncListener { told.withLock { $0.append("sync") } }
        _ = try await eventually {
            told.withLock { $0 }
        } is: {
            $0.last == "sync"
        }
        told.withLock { $0 = [] }
        try await writer.document("rooms/hall").setData(["lights": 1], until: .accepted)
        let news = try await eventually {
            told.withLock { $0 }
        } is: {
            $0.contains("sync")
        }
        #expect(Set(news.prefix(2)) == ["rooms 1", "hall true"])
        for listener in [rooms, hall, sync] { listener.remove() }
    }

    @Test func `a listener to the cache asks nothing of the backend`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        try await world.machine("elsewhere").client().document("rooms/hall")
            .setData(["lights": 1])
        var cached = client.collection("rooms").snapshots(
            options: SnapshotListenOptions().withSource(.cache)
        ).makeAsyncIterator()
        let first = try await cached.first { _ in true }
        #expect(first.isEmpty)
        #expect(first.metadata.isFromCache)
        // What another program asks of the backend shows in it.
        _ = try await machine.client().collection("rooms").getDocuments(source: .server)
        let next = try await cached.first { $0.count == 1 }
        #expect(next.documents.first?["lights"] as? Int == 1)
    }
}

/// The number that a listener was told last.
private final class Count: Sendable {
    private let number = Mutex<Int?>(nil)

    var value: Int? { number.withLock { $0 } }

    func set(_ count: Int?) { number.withLock { $0 = count } }
}
