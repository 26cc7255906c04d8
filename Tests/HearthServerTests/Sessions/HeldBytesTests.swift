import Glibc
import HearthFirestore
import HearthModel
import HearthServer
import HearthTestSupport
import HearthWire
import Testing

/// What clients make the daemon hold, over real sockets.
struct HeldBytesTests {
    /// Begins a frame of 8 MiB, and sends so many bytes of it.
    private static func begin(_ client: SocketClient, byteCount: Int) throws {
        let ping = try WireCodec(database: ServerRun.database).frame(of: .session(.ping), number: 9)
        var bytes = Array(FrameEncoder.bytes(of: ping).prefix(Frame.headerByteCount))
        bytes.replaceSubrange(0..<4, with: [0, 0x80, 0, 0])
        try client.send(bytes: bytes + [UInt8](repeating: 0, count: byteCount))
    }

    private static func greeted(_ path: String) throws -> SocketClient {
        let client = try SocketClient(path: path)
        _ = try client.greet(ServerRun.database)
        return client
    }

    private static func clients(
        _ client: SocketClient, number: UInt64
    ) throws -> [Inspection.Client] {
        try client.send(.inquiry(.inspection(.clients)), number: number)
        guard case .report(.inspection(let inspection)) = try client.receive().event else {
            return []
        }
        return inspection.clients
    }

    /// The clients, once that holds of them.
    private static func wait(
        _ client: SocketClient, until isRight: ([Inspection.Client]) -> Bool
    ) throws -> [Inspection.Client] {
        let deadline = ContinuousClock.now + .seconds(10)
        var number: UInt64 = 10
        while true {
            let clients = try clients(client, number: number)
            if isRight(clients) { return clients }
            guard ContinuousClock.now < deadline else { throw TooLate(last: "\(clients)") }
            number += 1
            sched_yield()
        }
    }

    @Test func `frames that have begun are held up to a limit for each user`() async throws {
        try await ServerRun.run {
            $0.limits.memory.uidByteCountMax = 2 << 20
        } _: { path, _ in
            let watcher = try Self.greeted(path)
            let first = try Self.greeted(path)
            try Self.begin(first, byteCount: 1 << 20)
            let seen = try Self.wait(watcher) {
                $0.contains { $0.heldByteCount > (1 << 20) - (64 << 10) }
            }
            #expect(seen.count == 2)
            let second = try Self.greeted(path)
            try? Self.begin(second, byteCount: 3 << 20)
            guard case (0, .failed(let error)) = try second.receive() else {
                Issue.record("The limit does not hold")
                return
            }
            #expect(error.code == .resourceExhausted)
            #expect(error.message.contains("limits.uidHeldByteCountMax = 2097152 bytes"))
            let left = try Self.wait(watcher) { $0.count == 2 }
            #expect(left.reduce(0) { $0 + $1.heldByteCount } <= 2 << 20)
        }
    }

    @Test func `when every limit is full no more is held than the limit of all, and others go on`()
        async throws
    {
        try await ServerRun.run {
            $0.limits.memory.byteCountMax = 4 << 20
            $0.limits.memory.uidByteCountMax = 64 << 20
            $0.limits.memory.bundleByteCountMax = 2 << 20
            $0.limits.unreadByteCountMax = 1 << 20
        } _: { path, _ in
            let watcher = try Self.greeted(path)
            let bundle = try Self.greeted(path)
            let part = [UInt8](repeating: 0x7A, count: 1 << 20)
            try bundle.send(.firestore(.loadBundle(.init(data: part, hasMore: true))), number: 2)
            var begun: [SocketClient] = []
            for _ in 0..<24 {
                let client = try Self.greeted(path)
                try? Self.begin(client, byteCount: 1 << 20)
                begun.append(client)
                let held = try Self.clients(watcher, number: UInt64(begun.count) + 1_000)
                    .reduce(0) { $0 + $1.heldByteCount }
                // The bytes that a session reads before the other sessions hear of them.
                #expect(held <= (4 << 20) + (512 << 10), "\(held)")
            }
            let left = try Self.wait(watcher) { $0.count <= 6 }
            #expect(left.reduce(0) { $0 + $1.heldByteCount } <= 4 << 20)
            try watcher.send(.session(.ping), number: 9_999)
            #expect(try watcher.receive().number == 9_999)
        }
    }

    @Test func `who writes much at once is made to wait, not disconnected`() async throws {
        try await ServerRun.run {
            $0.limits.memory.uidByteCountMax = 4 << 20
        } _: { path, _ in
            let client = try Self.greeted(path)
            let key = try DocumentKey(parsing: "rooms/hall")
            let text = Value.string(String(repeating: "a", count: 500_000))
            let numbers = UInt64(2)...41
            for number in numbers {
                let mutation = Mutation(key: key, kind: .set(["text": text]))
                let write = FirestoreRequest.Write(
                    sequence: number, answeredBelow: 1, mutations: [mutation])
                try client.send(.firestore(.write(write)), number: number)
            }
            var accepted: [UInt64] = []
            for _ in numbers {
                guard case (let number, .writeAccepted) = try client.receive() else {
                    Issue.record("A write was not accepted")
                    return
                }
                accepted.append(number)
            }
            #expect(accepted == Array(numbers))
        }
    }

    @Test func `at the start a database with a queue is opened, whoever is connected`() async throws
    {
        let folder = TemporaryFolder()
        let other = DatabaseID(project: "demo", database: "other")
        let engine: EngineMakers.Firestore = { database, outlet in
            var configuration = ServerConfiguration()
            configuration.storeFolder = folder.path
            return FirestoreAssembly(
                configuration: configuration, outlet: outlet, memory: SharedSurveyMemory()
            ).start(database, door: ClosedDoor.silent) { SilentUpstream($0) }
        }
        for round in 0..<2 {
            try await ServerRun.run {
                $0.storeFolder = folder.path
            } makeEngine: {
                engine($0, $1)
            } _: { path, _ in
                let client = try SocketClient(path: path)
                _ = try client.greet(round == 0 ? other : ServerRun.database)
                if round == 0 {
                    let key = try DocumentKey(parsing: "rooms/hall")
                    let write = FirestoreRequest.Write(
                        sequence: 1, answeredBelow: 1,
                        mutations: [Mutation(key: key, kind: .set(.empty))])
                    try client.send(.firestore(.write(write)), number: 2)
                    guard case .writeAccepted = try client.receive().event else {
                        Issue.record("not accepted")
                        return
                    }
                    return
                }
                let line = "hearth_queue_batches{project=\"demo\",database=\"other\"} 1"
                let deadline = ContinuousClock.now + .seconds(20)
                for number in UInt64(2)... {
                    try client.send(.inquiry(.inspection(.metrics)), number: number)
                    guard case .report(.inspection(let told)) = try client.receive().event else {
                        return
                    }
                    if told.metrics.contains(line) { return }
                    guard ContinuousClock.now < deadline else { throw TooLate(last: told.metrics) }
                    sched_yield()
                }
            }
        }
    }
}
