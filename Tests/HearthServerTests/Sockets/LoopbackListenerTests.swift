import Dispatch
import Glibc
import HearthTestSupport
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HearthServer

/// Over TCP the kernel names the user of each client, or the client is disconnected.
@Suite(.timeLimit(.minutes(10)))
struct LoopbackListenerTests {
    /// The users whom the listener let in.
    private final class Met: Sendable {
        private let peers = Mutex<[Peer]>([])

        var all: [Peer] { peers.withLock { $0 } }
        func meet(_ peer: Peer) { peers.withLock { $0.append(peer) } }
    }

    /// A user who is not root: of the test itself, or nobody if the test is root's.
    private static let uid = geteuid() == 0 ? 65_534 : geteuid()

    /// How many clients close at once; 100,000 where nothing waits for the test.
    private static let clientCount =
        getenv("HEARTH_LOOPBACK_CLIENTS").flatMap { Int(String(cString: $0)) } ?? 2_000

    private func listen(
        at address: String = "127.0.0.1:0", _ met: Met
    ) async throws -> LoopbackListener {
        try await LoopbackListener.start(
            at: try #require(LoopbackAddress(address)), group: MultiThreadedEventLoopGroup.singleton
        ) { child, peer in
            met.meet(peer)
            child.close(promise: nil)
        }
    }

    /// Runs a body on a thread whose sockets are the user's.
    private func asUser(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "loopback client").async {
                let own = setfsuid(Self.uid)
                body()
                setfsuid(UInt32(bitPattern: own))
                continuation.resume()
            }
        }
    }

    /// Connects with a port of 127.0.0.1; -1 if that failed.
    private static func connect(to port: Int) -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &place.sin_addr)
        let status = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return client }
        close(client)
        return -1
    }

    /// Has a socket closed by a reset, which leaves nothing behind.
    private static func resetAtClose(_ client: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    @Test func `a client is its user's, with the user's groups and of an unknown unit`()
        async throws
    {
        let met = Met()
        let listener = try await listen(met)
        let port = listener.address.port
        await asUser {
            let client = Self.connect(to: port)
            // The listener closes, once it knows who has come.
            var byte: UInt8 = 0
            #expect(recv(client, &byte, 1, 0) <= 0)
            close(client)
        }
        await listener.stop()
        let peer = try #require(met.all.first)
        #expect(peer.uid == Self.uid)
        #expect(peer.gid == SystemNames.groups(ofUser: Self.uid).gid)
        #expect(!peer.isUnitKnown)
        let denied = AccessPolicy(rules: [
            .init(name: "all", subject: .everyone, rights: [.read]),
            .init(name: "not app", isDenial: true, subject: .unit("app.service"), rights: [.read]),
        ])
        let grant = AccessGrant(denied, to: peer, in: .firestore(.init(project: "demo")))
        #expect(grant.refusal(of: .read, to: .everything)?.rule == "not app")
    }

    @Test func `clients that close at once are the kernel's or disconnected, never root`()
        async throws
    {
        let count = Self.clientCount
        let met = Met()
        let listener = try await listen(met)
        let port = listener.address.port
        let before = met.all.count
        await asUser {
            for number in 0..<count {
                let client = Self.connect(to: port)
                if number % 3 == 0 { Self.resetAtClose(client) }
                if number % 3 == 1 { shutdown(client, Int32(SHUT_WR)) }
                close(client)
            }
            let last = Self.connect(to: port)
            var byte: UInt8 = 0
            #expect(recv(last, &byte, 1, 0) <= 0)
            close(last)
        }
        let peers = try await eventually({ met.all }, is: { $0.count > before })
        await listener.stop()
        #expect(Set(peers.map(\.uid)) == [Self.uid])
        #expect(peers.count <= count + 1)
    }

    @Test func `a client of IPv6 is its user's too, where the machine has IPv6`() async throws {
        let met = Met()
        guard let listener = try? await listen(at: "[::1]:0", met) else { return }
        let port = listener.address.port
        await asUser {
            let client = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var place = sockaddr_in6()
            place.sin6_family = sa_family_t(AF_INET6)
            place.sin6_port = UInt16(port).bigEndian
            inet_pton(AF_INET6, "::1", &place.sin6_addr)
            _ = withUnsafePointer(to: &place) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
            var byte: UInt8 = 0
            _ = recv(client, &byte, 1, 0)
            close(client)
        }
        await listener.stop()
        #expect(met.all.map(\.uid) == [Self.uid])
    }
}
