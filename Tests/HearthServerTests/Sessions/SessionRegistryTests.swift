import HearthEngine
import HearthModel
import HearthWire
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HearthServer

/// The registry finds sessions of any kind by number, and reaches each session on its loop.
struct SessionRegistryTests {
    private let registry = SessionRegistry(
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    private let peer = Peer(uid: 60_001, gid: 60_001, pid: 42)
    private let key = EngineKey.firestore(DatabaseID(project: "demo"))

    /// Enters a session without a connection, and returns the messages that the session hears.
    private func enter(
        on loop: any EventLoop, as peer: Peer? = nil
    ) async throws -> (id: UInt64, heard: Heard) {
        let (registry, peer, key) = (registry, peer ?? self.peer, key)
        let id = registry.nextID()
        let heard = Heard()
        try await loop.submit {
            let end = NIOLoopBound<any SessionEnd>(StrangeSession(heard), eventLoop: loop)
            #expect(registry.add(id, end, on: loop, peer, isGuest: false))
            registry.opened(id, key, program: "strange")
        }.get()
        return (id, heard)
    }

    @Test func `a session of another kind is counted, told, listed and ended like any other`()
        async throws
    {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let (id, heard) = try await enter(on: loop)
        #expect(registry.figures(of: key).clientCount == 1)
        registry.deliver(
            [id: [.complete(7), .inSync(8)], id + 1: [.complete(1)]], as: Deliveries.firestore)
        registry.resume([id])
        let listeners = try await registry.listeners(ofUser: peer.uid, on: loop).get()
            .described().listeners
        #expect(listeners.map(\.query) == ["a path of its own"])
        #expect(listeners.map(\.database) == [key])
        let clients = try await registry.clients(ofUser: peer.uid, after: .start, on: loop).get()
            .clients
        #expect(clients.map(\.session) == [id])
        #expect(clients.map(\.traffic.writeCount) == [3])
        registry.end(of: key, HearthError(code: .unavailable, message: "anew"))
        registry.endAll(HearthError(code: .unavailable, message: "down"))
        try await loop.submit {}.get()
        #expect(heard.words == ["complete 7", "inSync 8", "resume", "end anew", "end down"])
        registry.remove(id)
        #expect(registry.count == 0)
        try await group.shutdownGracefully()
    }

    @Test func `the subordinate users of a user share what the user may take`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        var limits = ClientMemory()
        limits.uidByteCountMax = 1_000
        var ids: [UInt64] = []
        for uid: UInt32 in 100_000..<100_003 {
            let peer = Peer(uid: uid, payer: 1_000, gid: 100, pid: 42)
            ids.append(try await enter(on: loop, as: peer).id)
            #expect(registry.figures(ofUser: uid).clientCount == 0)
        }
        #expect(registry.figures(ofUser: 1_000).clientCount == 3)
        #expect(registry.counted(ids[0], SessionTally(heldByteCount: 900), within: limits) == nil)
        let error = registry.counted(ids[1], SessionTally(heldByteCount: 200), within: limits)
        #expect(error?.message.contains("uid 1000 ") == true)
        for id in ids { registry.remove(id) }
        #expect(registry.figures(ofUser: 1_000).clientCount == 0)
        try await group.shutdownGracefully()
    }

    @Test func `a session that holds too much is disconnected, whatever its kind`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let (most, heard) = try await enter(on: loop)
        let (other, _) = try await enter(on: loop)
        var limits = ClientMemory()
        limits.byteCountMax = 1_000
        limits.uidByteCountMax = 10_000
        #expect(registry.counted(most, SessionTally(heldByteCount: 900), within: limits) == nil)
        #expect(registry.counted(other, SessionTally(heldByteCount: 200), within: limits) == nil)
        try await loop.submit {}.get()
        #expect(heard.words == ["evict"])
        try await group.shutdownGracefully()
    }
}

/// What a session was told, in order.
final class Heard: Sendable {
    private let state = Mutex<[String]>([])

    var words: [String] { state.withLock { $0 } }

    func note(_ word: String) { state.withLock { $0.append(word) } }
}

/// The daemon's end of a session that is not made of frames.
final class StrangeSession: SessionEnd {
    private let heard: Heard

    init(_ heard: Heard) {
        self.heard = heard
    }

    var listenedTo: [ListenerText] { [ListenerText("a path of its own")] }

    var traffic: Inspection.Traffic {
        var traffic = Inspection.Traffic()
        traffic.writeCount = 3
        return traffic
    }

    func deliver(_ deliveries: Deliveries) {
        guard case .firestore(let deliveries) = deliveries else {
            return heard.note("\(deliveries)")
        }
        for delivery in deliveries {
            switch delivery {
            case .complete(let number): heard.note("complete \(number)")
            case .inSync(let number): heard.note("inSync \(number)")
            default: heard.note("\(delivery)")
            }
        }
    }

    func resumeReading() { heard.note("resume") }
    func reconfigure(_ values: LiveSettings.Values) { heard.note("reconfigure") }
    func evict(_ error: HearthError) { heard.note("evict") }
    func end(_ error: HearthError) { heard.note("end \(error.message)") }
}
