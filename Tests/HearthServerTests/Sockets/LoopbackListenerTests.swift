import Glibc
import HearthEngine
import HearthModel
import HearthWire
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
    private static let uid: UInt32 = geteuid() == 0 ? 65_534 : geteuid()

    /// How many clients close at once; 100,000 where nothing waits for the test.
    private static let clientCount =
        getenv("HEARTH_LOOPBACK_CLIENTS").flatMap { Int(String(cString: $0)) } ?? 2_000

    /// Connects from many addresses and closes at once, in three ways; then waits to be disconnected.
    private static let program = """
        import os, socket, struct, sys
        host, port, uid, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        for number in range(count):
            client = socket.socket(family)
            client.bind((f"127.0.{number % 200}.{1 + number % 250}", 0))
            client.connect((host, port))
            if number % 3 == 0:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif number % 3 == 1:
                client.shutdown(socket.SHUT_WR)
            client.close()
        last = socket.socket(family)
        last.connect((host, port))
        assert last.recv(1) == b""
        """

    private func listen(
        at address: String = "127.0.0.1:0", _ met: Met
    ) throws -> LoopbackListener {
        let entrance = Entrance(
            group: MultiThreadedEventLoopGroup.singleton, queues: LoopQueues(),
            doorstep: Doorstep(LoopShareTable()),
            hasRights: { _ in true }, administers: { _ in false }
        ) { child, peer in
            met.meet(peer)
            child.close(promise: nil)
        }
        return try LoopbackListener(
            at: #require(LoopbackAddress(address)), entrance: entrance, tell: { _ in })
    }

    /// Runs the clients as the user; returns the clients' exit status.
    private func connect(_ count: Int, to address: LoopbackAddress) async throws -> Int32 {
        try await Task.detached {
            let words = [
                "python3", "-c", Self.program, address.host, "\(address.port)", "\(Self.uid)",
                "\(count)",
            ]
            var arguments = words.map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            var child = pid_t()
            let result = posix_spawnp(&child, "python3", nil, nil, &arguments, environ)
            try #require(result == 0, "python3 cannot be run")
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            return status
        }.value
    }

    @Test func `a client is its user's, with the user's groups and of an unknown unit`()
        async throws
    {
        let met = Met()
        let listener = try listen(met)
        #expect(try await connect(0, to: listener.address) == 0)
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
        let met = Met()
        let listener = try listen(met)
        #expect(try await connect(Self.clientCount, to: listener.address) == 0)
        await listener.stop()
        let peers = met.all
        #expect(Set(peers.map(\.uid)) == [Self.uid])
        #expect(peers.count <= Self.clientCount + 1)
    }

    @Test func `a client of IPv6 is its user's too, where the machine has IPv6`() async throws {
        let met = Met()
        guard let listener = try? listen(at: "[::1]:0", met) else { return }
        #expect(try await connect(0, to: listener.address) == 0)
        await listener.stop()
        #expect(met.all.map(\.uid) == [Self.uid])
    }
}
