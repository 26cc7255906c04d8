import HearthEngine
import HearthModel
import HearthRPC
import HearthTestSupport
import HearthWire
import Synchronization
import Testing

@testable import HearthGateway
@testable import HearthServer

/// The requests that a session may send and have held, beside other sessions of its user.
@Suite(.timeLimit(.minutes(2)))
struct GatewaySessionTests {
    /// What listeners were told.
    private final class Told: Sendable {
        private let deliveries = Mutex<[FirestoreDelivery]>([])

        var all: [FirestoreDelivery] { deliveries.withLock { $0 } }
        func take(_ delivery: FirestoreDelivery) { deliveries.withLock { $0.append(delivery) } }
    }

    private static let peer = Peer(uid: 60_001, gid: 60_001, pid: 1)
    private static let head = CallHead(
        CallMethod(name: "Listen", shape: .bidirectional, number: 0))
    private static let rooms = Query(path: ResourcePath(["rooms"]))
    private static let halls = Query(path: ResourcePath(["halls"]))

    private static func session(_ connection: GatewayConnection) throws -> GatewaySession {
        try connection.session(in: GatewayBench.database, for: head)
    }

    @Test func `a listener is told, and no more when it has ended`() async throws {
        try await GatewayBench.run(isOnline: false) {
            $0.access = .open
        } _: { bench in
            let told = Told()
            try await bench.withConnection(as: Self.peer) { connection in
                let number = try await connection.run {
                    try Self.session($0).listen(Self.rooms, ListenOptions()) { told.take($0) }
                }
                let first = try await eventually({ told.all }, is: { !$0.isEmpty })
                #expect(first.first?.number == number)
                let listed = try await connection.run {
                    try Self.session($0).listenedTo.map(\.text)
                }
                #expect(listed == ["rooms"])
                let left = try await connection.run {
                    try Self.session($0).unlisten(number)
                    return try Self.session($0).listenedTo.map(\.text)
                }
                #expect(left == [])
            }
        }
    }

    @Test func `the listeners of a user's connections count together`() async throws {
        try await GatewayBench.run(isOnline: false) {
            $0.access = .open
            $0.limits.uidListenerCountMax = 1
        } _: { bench in
            try await bench.withConnection(as: Self.peer) { connection in
                let number = try await connection.run {
                    try Self.session($0).listen(Self.rooms, ListenOptions()) { _ in }
                }
                let error = await #expect(throws: HearthError.self) {
                    try await connection.run {
                        _ = try Self.session($0).listen(Self.halls, ListenOptions()) { _ in }
                    }
                }
                #expect(error?.message.contains("limits.uidListenerCountMax") == true)
                #expect(bench.server.registry.figures(ofUser: 60_001).listenerCount == 1)
                try await connection.run { try Self.session($0).unlisten(number) }
                #expect(bench.server.registry.figures(ofUser: 60_001).listenerCount == 0)
            }
        }
    }

    @Test func `calls without an answer count for the user, and too many are refused`()
        async throws
    {
        try await GatewayBench.run(isOnline: false) {
            $0.access = .open
            $0.limits.uidRequestCountMax = 2
        } _: { bench in
            try await bench.withConnection(as: Self.peer) { connection in
                try await connection.run {
                    for _ in 0..<2 { try Self.session($0).began(byteCount: 100) }
                }
                #expect(bench.server.registry.figures(ofUser: 60_001).requestCount == 2)
                let error = await #expect(throws: HearthError.self) {
                    try await connection.run { try Self.session($0).began(byteCount: 100) }
                }
                #expect(error?.code == .resourceExhausted)
                try await connection.run {
                    for _ in 0..<2 { try Self.session($0).finished(byteCount: 100) }
                }
                #expect(bench.server.registry.figures(ofUser: 60_001).requestCount == 0)
            }
        }
    }

    @Test func `a reload ends the listeners that the new rules do not allow`() async throws {
        try await GatewayBench.run(isOnline: false) {
            $0.access = .open
        } _: { bench in
            let told = Told()
            try await bench.withConnection(as: Self.peer) { connection in
                _ = try await connection.run {
                    try Self.session($0).listen(Self.rooms, ListenOptions()) { told.take($0) }
                }
                bench.server.registry.reconfigure(
                    bench.server.settings.change { $0.access = .closed })
                let last = try await eventually(
                    { told.all.last },
                    is: { delivery in
                        if case .fail? = delivery { true } else { false }
                    })
                guard case .fail(_, let error)? = last else { return }
                #expect(error.code == .permissionDenied)
            }
        }
    }

    @Test func `a client that has too much held is sent away with the reason`() async throws {
        try await GatewayBench.run(isOnline: false) {
            $0.access = .open
            $0.limits.memory.uidByteCountMax = 1 << 20
        } _: { bench in
            let told = Told()
            try await bench.withConnection(as: Self.peer) { connection in
                try await connection.run {
                    let session = try Self.session($0)
                    _ = try session.listen(Self.rooms, ListenOptions()) { told.take($0) }
                    session.hold(2 << 20)
                }
                guard case .fail(_, let error)? = told.all.last else {
                    Issue.record("\(told.all)")
                    return
                }
                #expect(error.code == .resourceExhausted)
                #expect(error.message.contains("limits.uidHeldByteCountMax"))
                _ = try await eventually({ bench.server.registry.count }, is: { $0 == 0 })
            }
        }
    }
}
