import HearthEngine
import HearthModel
import HearthRealtime
import HearthServer
import HearthTestSupport
import HearthWire
import Testing

/// Programs of one machine at one instance of the Realtime Database, by the letter of the protocol.
struct RealtimeServerTests {
    private static let root = ListenTarget("room", QueryParameters())

    /// A server without a backend, whose instances are kept in a folder or in memory.
    private func run(
        in folder: String?,
        _ body: @escaping @Sendable (_ path: String, _ controlPath: String) throws -> Void
    ) async throws {
        try await ServerRun.run { configuration in
            configuration.storeFolder = folder
            configuration.isUpstreamEnabled = false
        } makeInstance: { instance, kept, outlet in
            var configuration = ServerConfiguration()
            configuration.storeFolder = folder
            configuration.isUpstreamEnabled = false
            let nobody = HearthError(code: .unavailable, message: "There is no backend.")
            return RealtimeAssembly(configuration: configuration, outlet: outlet)
                .start(instance, keeping: kept, door: ClosedRealtimeDoor(nobody)) { _ in
                    SilentLink()
                }
        } _: { path, controlPath in
            try body(path, controlPath)
        }
    }

    private static func write(
        _ path: RealtimePath, _ value: LeafValue, sequence: UInt64 = 0
    ) -> Request {
        let change = RealtimeChange.set(WritePath(path), UnresolvedNode(Node(value)))
        return .realtime(.write(.init(sequence: sequence, answeredBelow: 0, change: change)))
    }

    @Test(arguments: [false, true])
    func `a write of one program is at the others before any answer, without a network`(
        onDisk: Bool
    ) async throws {
        let folder = TemporaryFolder()
        try await run(in: onDisk ? folder.path : nil) { path, _ in
            let (writer, reader) = (try SocketClient(path: path), try SocketClient(path: path))
            let welcome = try writer.greet(.realtime(.standard))
            #expect(welcome.database.description == "https://demo-default-rtdb.firebaseio.com")
            _ = try reader.greet(.realtime(.named("demo-default-rtdb")))
            try reader.send(.realtime(.listen(Self.root, .observer)), number: 2)
            var seen = ListenedNode(Self.root, number: 2)
            try seen.read(from: reader) { !$0.isComplete }
            try writer.send(Self.write("room/light", true), number: 2)
            guard case .writeAccepted = try writer.receive().event else {
                Issue.record("The write is not accepted")
                return
            }
            try seen.read(from: reader) { $0.node == Node.empty.setting("light", to: Node(true)) }
        }
    }

    @Test func `accepted writes are there after a restart, and in the operator's list`()
        async throws
    {
        let folder = TemporaryFolder()
        try await run(in: folder.path) { path, _ in
            let writer = try SocketClient(path: path)
            _ = try writer.greet(.realtime(.standard))
            for (number, value) in [(2, 1), (3, 2)] as [(UInt64, LeafValue)] {
                try writer.send(Self.write("room/light", value), number: number)
                guard case .writeAccepted = try writer.receive().event else {
                    Issue.record("The write is not accepted")
                    return
                }
            }
        }
        try await run(in: folder.path) { path, controlPath in
            let reader = try SocketClient(path: path)
            _ = try reader.greet(.realtime(.standard))
            try reader.send(.realtime(.listen(Self.root, .observer)), number: 2)
            var seen = ListenedNode(Self.root, number: 2)
            try seen.read(from: reader) { $0.node == Node.empty.setting("light", to: Node(2)) }
            let operatorClient = try SocketClient(path: controlPath)
            _ = try operatorClient.greet(.realtime(.standard))
            try operatorClient.send(
                .inquiry(.queue(.init(withWrites: true))), number: 2)
            guard case .report(.queue(let page)) = try operatorClient.receive().event else {
                Issue.record("No list of the queue")
                return
            }
            #expect(page.batches.count == 2)
            guard case .places(let places, let change)? = page.batches.first?.content else {
                Issue.record("The list tells of documents")
                return
            }
            #expect(places == [WritePath("room/light")])
            #expect(change == .set(WritePath("room/light"), UnresolvedNode(Node(1))))
            try operatorClient.send(.inquiry(.status), number: 3)
            guard case .report(.status(let status)) = try operatorClient.receive().event else {
                Issue.record("No status")
                return
            }
            #expect(status.queueBatchCount == 2)
            #expect(status.database.description == "https://demo-default-rtdb.firebaseio.com")
        }
    }

    @Test func `a program that does not read for a while sees the last state when it reads`()
        async throws
    {
        try await run(in: nil) { path, _ in
            let (writer, reader) = (try SocketClient(path: path), try SocketClient(path: path))
            _ = try writer.greet(.realtime(.standard))
            _ = try reader.greet(.realtime(.standard))
            try reader.send(.realtime(.listen(Self.root, .observer)), number: 2)
            var seen = ListenedNode(Self.root, number: 2)
            try seen.read(from: reader) { !$0.isComplete }
            let padding = String(repeating: "x", count: 20_000)
            for number: UInt64 in 2...500 {
                try writer.send(
                    Self.write("room/text", .string("\(number)\(padding)")), number: number)
                guard case .writeAccepted = try writer.receive().event else {
                    Issue.record("Write \(number) is not accepted")
                    return
                }
            }
            let last = Node.empty.setting("text", to: Node(.string("500\(padding)")))
            try seen.read(from: reader) { $0.node == last }
            #expect(seen.newsCount < 499)
        }
    }

    @Test func `the daemon shows itself to no strange host, whoever asks`() async throws {
        try await run(in: nil) { path, _ in
            let client = try SocketClient(path: path)
            let strange = try #require(InstanceID(url: "https://evil.example.com?ns=demo"))
            #expect(throws: (any Error).self) {
                try client.greet(.realtime(.exactly(strange)))
            }
        }
    }
}

/// The node of one listener, put together from the listener's news.
private struct ListenedNode {
    let target: ListenTarget
    let number: UInt64
    var node = Node.empty
    var isComplete = true
    var newsCount = 0
    private var part: Event.ViewPart?

    init(_ target: ListenTarget, number: UInt64) {
        self.target = target
        self.number = number
    }

    /// Takes news until a condition holds.
    mutating func read(
        from client: SocketClient, until isEnough: (ListenedNode) -> Bool
    ) throws {
        while true {
            let (number, event) = try client.receive()
            guard number == self.number, case .viewNews(let next) = event else {
                Issue.record("\(event) for \(number)")
                return
            }
            if part == nil { part = next } else { part?.nodes.append(next.nodes) }
            guard let whole = part, !whole.nodes.hasMore else { continue }
            part = nil
            newsCount += 1
            isComplete = whole.isComplete
            switch try whole.news(of: target).content {
            case .whole(let node): self.node = node
            case .changes(let places):
                for placed in places { node = node.setting(placed.place, to: placed.node) }
            }
            if isEnough(self) { return }
        }
    }
}

/// A connection that never opens.
private struct SilentLink: EngineUpstream {
    func perform(_ command: RealtimeCommand) {}
}
