import Glibc
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
        in folder: String?, door: (any RealtimeDoor)? = nil,
        _ body: @escaping @Sendable (_ path: String, _ controlPath: String) throws -> Void
    ) async throws {
        try await ServerRun.run { configuration in
            configuration.storeFolder = folder
            configuration.isUpstreamEnabled = false
        } makeInstance: { instance, kept, outlet in
            var configuration = ServerConfiguration()
            configuration.storeFolder = folder
            configuration.isUpstreamEnabled = door != nil
            let assembly = RealtimeAssembly(
                configuration: configuration, outlet: outlet, memory: SharedWriteMemory())
            return assembly.start(
                instance, keeping: kept, door: door ?? ClosedRealtimeDoor(Self.noBackend)
            ) { _ in SilentLink() }
        } _: { path, controlPath in
            try body(path, controlPath)
        }
    }

    private static let noBackend = HearthError(code: .unavailable, message: "There is no backend.")

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

    @Test func `an instance with writes that wait is opened at the start, though nobody asks`()
        async throws
    {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try await run(in: folder.path) { path, _ in
            let writer = try SocketClient(path: path)
            _ = try writer.greet(.realtime(.standard))
            try writer.send(Self.write("room/light", 1), number: 2)
            guard case .writeAccepted = try writer.receive().event else {
                Issue.record("The write is not accepted")
                return
            }
        }
        try await run(in: folder.path) { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(ServerRun.database)  // Of the other kind.
            let name = "https://demo-default-rtdb.firebaseio.com"
            let line = "hearth_queue_batches{instance=\"\(name)\"} 1"
            let deadline = ContinuousClock.now + .seconds(20)
            for number in UInt64(2)... {
                try client.send(.inquiry(.inspection(.metrics)), number: number)
                guard case .report(.inspection(let told)) = try client.receive().event else {
                    Issue.record("No metrics")
                    return
                }
                if told.metrics.contains(line) { return }
                guard ContinuousClock.now < deadline else { throw TooLate(last: told.metrics) }
                sched_yield()
            }
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

    /// Asks for the children of `/rooms` of the backend, two at most.
    private static func listed(
        after key: ChildKey?, by client: SocketClient, number: UInt64
    ) throws -> Event {
        let page = Inquiry.ChildPage(of: "rooms", in: .backend(after: key), countMax: 2)
        try client.send(.inquiry(.children(page)), number: number)
        return try client.receive().event
    }

    @Test func `the backend's keys come part by part, and the last part says so`() async throws {
        try await run(in: nil, door: CountingDoor(last: 5)) { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(.realtime(.standard))
            var key: ChildKey?
            for (number, keys) in [(2, ["1", "2"]), (3, ["3", "4"]), (4, ["5"])]
                as [(UInt64, [ChildKey])]
            {
                let answer = try Self.listed(after: key, by: client, number: number)
                let children = keys.map { Report.ChildList.Child(key: $0, hasChildren: true) }
                let list = Report.ChildList(children: children, hasMore: number < 4)
                #expect(answer == .report(.children(list)))
                key = keys.last
            }
        }
    }

    @Test func `what the backend refuses is told, and it is not asked while the network is off`()
        async throws
    {
        let denied = HearthError(code: .permissionDenied, message: "Not you.")
        for (door, code) in [
            (ClosedRealtimeDoor(denied), StatusCode.permissionDenied),
            (nil, StatusCode.unavailable),
        ] as [(ClosedRealtimeDoor?, StatusCode)] {
            try await run(in: nil, door: door) { path, _ in
                let client = try SocketClient(path: path)
                _ = try client.greet(.realtime(.standard))
                // A turn has passed, so the engine knows whether there is a network.
                try client.send(Self.write("room/light", true), number: 2)
                _ = try client.receive()
                guard case .failed(let error) = try Self.listed(after: nil, by: client, number: 3)
                else {
                    Issue.record("The question is answered")
                    return
                }
                #expect(error.code == code)
                #expect(error.message != Self.noBackend.message)
            }
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

/// A backend whose places have the whole numbers from 1 on as keys.
private struct CountingDoor: RealtimeDoor {
    let last: Int

    func children(
        of path: RealtimePath, after: ChildKey?, countMax: Int
    ) async throws(HearthError) -> [ListedChild] {
        let start = (after.flatMap { Int($0.text) } ?? 0) + 1
        return (start...last).prefix(countMax).map {
            ListedChild(key: ChildKey(unchecked: "\($0)"), mayHaveChildren: true)
        }
    }
}

/// A connection that never opens.
private struct SilentLink: EngineUpstream {
    func perform(_ command: RealtimeCommand) {}
}
