import Dispatch
import HearthTestSupport
import HearthWire
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HearthServer

/// Names may come from a network that does not answer: whoever waits for it holds up few.
@Suite(.timeLimit(.minutes(1)))
struct LoopbackPeersTests {
    /// A machine whose users below 1,000 are known at once; others are asked for elsewhere.
    private final class Names: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        let asked = Mutex<[UInt32]>([])

        func groups(_ uid: UInt32) -> (gid: UInt32, groups: [UInt32]) {
            asked.withLock { $0.append(uid) }
            guard uid >= 1_000 else { return (uid, [uid]) }
            gate.wait()
            return (SystemNames.nobodysGroup, [])
        }

        func answer(_ count: Int) {
            for _ in 0..<count { gate.signal() }
        }
    }

    private let loop = MultiThreadedEventLoopGroup.singleton.any()

    @Test func `ids of which nobody knows hold up no user whom the daemon has met`() async throws {
        let names = Names()
        let peers = LoopbackPeers(remembering: .zero) { names.groups($0) }
        #expect(try await peers.peer(1, on: loop).get().groups == [1])
        let count = LoopbackPeers.laneCount + LoopbackPeers.pendingCountMax
        let strangers = (0..<UInt32(count)).map { peers.peer(100_000 + $0, on: loop) }
        await #expect(throws: (any Error).self) {
            try await peers.peer(99_999, on: loop).get()
        }
        #expect(try await peers.peer(1, on: loop).get().groups == [1])
        names.answer(count)
        for stranger in strangers { #expect(try await stranger.get().groups == []) }
        #expect(names.asked.withLock { $0.count } == count + 2)
        #expect(try await peers.peer(2, on: loop).get().groups == [2])
    }

    @Test func `a user's connections share one look-up, and so many wait for it`() async throws {
        let names = Names()
        let peers = LoopbackPeers { names.groups($0) }
        let waiting = (0..<LoopbackPeers.waitingCountMax).map { _ in peers.peer(1_000, on: loop) }
        await #expect(throws: (any Error).self) {
            try await peers.peer(1_000, on: loop).get()
        }
        names.answer(1)
        for peer in waiting { #expect(try await peer.get().uid == 1_000) }
        #expect(names.asked.withLock { $0 } == [1_000])
    }
}
