import Dispatch
import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthTestSupport
import HearthWire
import Logging
import Testing

/// A whole server on a real socket, with a scripted engine behind it.
struct HearthServerTests {
    private static let database = DatabaseID(project: "demo")

    /// Runs a server for as long as `body` takes, on a thread that may block.
    private func withServer(
        openFailures: [StoreError] = [],
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (_ path: String, _ bench: ServerBench) throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/hearth.sock"
        var configuration = ServerConfiguration()
        configuration.database = Self.database
        configuration.clientSocket = .init(path: path, mode: 0o600)
        configuration.controlSocket = .init(path: folder.path + "/control.sock", mode: 0o600)
        change(&configuration)
        let bench = ServerBench(openFailures: openFailures)
        let server = HearthServer(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            makers: .firestore { bench.make($0, $1) })
        await server.start()
        let result = await onThread { Result { try body(path, bench) } }
        await server.stop()
        try result.get()
        #expect(access(path, F_OK) != 0, "the socket is left behind")
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "client").async { continuation.resume(returning: body()) }
        }
    }

    @Test func `a client greets, asks and is answered`() async throws {
        try await withServer { path, _ in
            let client = try SocketClient(path: path)
            let welcome = try client.greet(Self.database)
            #expect(welcome.database == .firestore(Self.database))
            #expect(welcome.version == 1)
            try client.send(.session(.ping), number: 2)
            try client.send(.firestore(.waitForPendingWrites), number: 3)
            let answers = [try client.receive().number, try client.receive().number]
            #expect(Set(answers) == [2, 3])
        }
    }

    @Test func `requests cut into single bytes are put together`() async throws {
        try await withServer { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(Self.database)
            let frame = try WireCodec(database: Self.database).frame(of: .session(.ping), number: 9)
            for byte in FrameEncoder.bytes(of: frame) { try client.send(bytes: [byte]) }
            #expect(try client.receive().number == 9)
        }
    }

    @Test func `the status tells clients, listeners and what is wrong`() async throws {
        let failures = [StoreError](repeating: .locked("pid 7"), count: 1_000)
        try await withServer(openFailures: failures) { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(Self.database)
            try client.send(.inquiry(.status), number: 2)
            guard case .report(.status(let report)) = try client.receive().event else {
                Issue.record("no status")
                return
            }
            #expect(report.clientCount == 1)
            #expect(report.degradedReasons.count == 1)
            #expect(report.degradedReasons.first?.contains("pid 7") == true)
        }
    }

    @Test func `metrics, clients and listeners are told`() async throws {
        try await withServer { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(Self.database)
            let query = Query(path: try ResourcePath(parsing: "rooms"))
            try client.send(.firestore(.listen(query, .init())), number: 2)
            try client.send(.inquiry(.inspection(.listeners)), number: 3)
            guard case .report(.inspection(let listeners)) = try client.receive().event else {
                Issue.record("no listeners")
                return
            }
            #expect(listeners.listeners.map(\.query) == ["rooms"])
            #expect(listeners.listeners.map(\.process.pid) == [getpid()])
            try client.send(.inquiry(.inspection(.clients)), number: 4)
            guard case .report(.inspection(let clients)) = try client.receive().event else {
                Issue.record("no clients")
                return
            }
            #expect(clients.clients.map(\.database) == [.firestore(Self.database)])
            #expect(clients.clients.map(\.listenerCount) == [1])
            try client.send(.inquiry(.inspection(.metrics)), number: 5)
            guard case .report(.inspection(let metrics)) = try client.receive().event else {
                Issue.record("no metrics")
                return
            }
            for metric in Metric.allCases {
                #expect(
                    metrics.metrics.contains("# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n"))
            }
            #expect(metrics.metrics.contains("hearth_clients{project=\"demo\""))
        }
    }

    @Test func `every open database is told in one answer`() async throws {
        try await withServer { path, _ in
            let other = DatabaseID(project: "demo", database: "another")
            let clients = [try SocketClient(path: path), try SocketClient(path: path)]
            _ = try clients[0].greet(Self.database)
            _ = try clients[1].greet(other)
            try clients[0].send(.inquiry(.inspection(.databases)), number: 2)
            guard case .report(.inspection(let told)) = try clients[0].receive().event else {
                Issue.record("no databases")
                return
            }
            let keys = [EngineKey.firestore(Self.database), .firestore(other)]
            #expect(Set(told.databases.map(\.database)) == Set(keys))
            #expect(told.databases.map(\.clientCount) == [1, 1])
        }
    }

    @Test func `the line for the service manager is about all databases`() async throws {
        var configuration = ServerConfiguration()
        configuration.database = Self.database
        let bench = ServerBench(openFailures: [])
        let server = HearthServer(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            makers: .firestore { bench.make($0, $1) })
        #expect(server.reporter.line == "running, no database is open")
        server.reporter.setReason("The disk is full.", for: "disk")
        #expect(server.reporter.line == "degraded: The disk is full.")
        server.reporter.setReason(nil, for: "disk")
        await server.stop()
    }

    @Test func `a frame too long ends the session with the reason`() async throws {
        try await withServer { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(Self.database)
            try client.send(bytes: [UInt8](repeating: 0xFF, count: 13))
            guard case (0, .failed(let error)) = try client.receive() else {
                Issue.record("no failure")
                return
            }
            #expect(error.code == .invalidArgument)
            #expect(client.isClosed())
        }
    }

    @Test func `a client too many is told so`() async throws {
        try await withServer({ $0.limits.clientCountMax = 1 }) { path, _ in
            let first = try SocketClient(path: path)
            _ = try first.greet(Self.database)
            let second = try SocketClient(path: path)
            guard case (0, .failed(let error)) = try second.receive() else {
                Issue.record("no failure")
                return
            }
            #expect(error.code == .resourceExhausted)
            #expect(second.isClosed())
        }
    }

    @Test func `a client that is gone is told to the engine, its writes are not undone`()
        async throws
    {
        try await withServer { path, bench in
            do {
                let client = try SocketClient(path: path)
                _ = try client.greet(Self.database)
                try client.send(.firestore(.waitForPendingWrites), number: 2)
                _ = try client.receive()
            }
            try bench.wait { $0.contains("disconnected") }
        }
    }

    @Test func `a client that never reads is dropped and delays nobody`() async throws {
        try await withServer({ $0.limits.unreadReplyCountMax = 64 }) { path, _ in
            let stuck = try SocketClient(path: path)
            _ = try stuck.greet(Self.database)
            let other = try SocketClient(path: path)
            _ = try other.greet(Self.database)
            var number: UInt64 = 2
            #expect(throws: SocketClient.Failed.self) {
                while number < 10_000_000 {
                    try stuck.send(.inquiry(.status), number: number)
                    number += 1
                }
            }
            try other.send(.session(.ping), number: 2)
            #expect(try other.receive().number == 2)
        }
    }

    @Test func `a change of the user reaches every engine, and those that start later`()
        async throws
    {
        let folder = TemporaryFolder()
        var configuration = ServerConfiguration()
        configuration.clientSocket = .init(path: folder.path + "/hearth.sock", mode: 0o600)
        let bench = ServerBench(openFailures: [])
        let server = HearthServer(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            makers: .firestore { bench.make($0, $1) })
        await server.start()
        let changes: @Sendable ([String], String) -> Int = { heard, user in
            heard.filter { $0.contains("changeUser") && $0.contains(user) }.count
        }
        let path = folder.path + "/hearth.sock"
        let result = await onThread {
            Result {
                let client = try SocketClient(path: path)
                _ = try client.greet(Self.database)
                server.changeUser(to: UserID("ann"))
                try bench.wait { changes($0, "ann") == 1 }
                let other = try SocketClient(path: path)
                _ = try other.greet(DatabaseID(project: "other"))
                try bench.wait { changes($0, "ann") == 2 }
                server.changeUser(to: UserID("bert"))
                try bench.wait { changes($0, "bert") == 2 }
                #expect(
                    server.reporter.status(of: .firestore(Self.database)).user == UserID("bert"))
            }
        }
        await server.stop()
        try result.get()
    }

    @Test func `when the server stops, clients are told and their connections end`() async throws {
        let folder = TemporaryFolder()
        var configuration = ServerConfiguration()
        configuration.database = Self.database
        configuration.clientSocket = .init(path: folder.path + "/hearth.sock", mode: 0o600)
        let bench = ServerBench(openFailures: [])
        let server = HearthServer(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            makers: .firestore { bench.make($0, $1) })
        await server.start()
        let client = try SocketClient(path: folder.path + "/hearth.sock")
        _ = try client.greet(Self.database)
        await server.stop()
        guard case (0, .failed(let error)) = try client.receive() else {
            Issue.record("no farewell")
            return
        }
        #expect(error.code == .unavailable)
        #expect(client.isClosed())
    }

    @Test func `a frame that stalls ends its session, and delays nobody`() async throws {
        try await withServer {
            $0.limits.frameSecondsMax = 1
        } _: { path, _ in
            let stalled = try SocketClient(path: path)
            _ = try stalled.greet(Self.database)
            try stalled.send(bytes: [0, 0, 1, 0, 4])
            let other = try SocketClient(path: path)
            _ = try other.greet(Self.database)
            try other.send(.session(.ping), number: 2)
            #expect(try other.receive().event == .done)
            guard case (0, .failed(let error)) = try stalled.receive() else {
                Issue.record("The stalled session goes on")
                return
            }
            #expect(error.code == .deadlineExceeded)
            #expect(error.message.contains("limits.frameSecondsMax = 1 seconds"))
            #expect(stalled.isClosed())
            try other.send(.session(.ping), number: 3)
            #expect(try other.receive().event == .done)
        }
    }

    @Test func `a frame beyond the limit is refused by the name of the limit`() async throws {
        try await withServer {
            $0.limits.frameByteCountMax = 65_536
        } _: { path, _ in
            let client = try SocketClient(path: path)
            #expect(try client.greet(Self.database).limits.frameByteCountMax == 65_536)
            try client.send(bytes: [0, 1, 0, 1])
            try client.send(bytes: [UInt8](repeating: 0, count: 9))
            guard case (0, .failed(let error)) = try client.receive() else {
                Issue.record("The frame is taken")
                return
            }
            #expect(error.message.contains("limits.frameByteCountMax"))
        }
    }

    @Test func `a user's clients wait for so many answers together`() async throws {
        try await withServer {
            $0.limits.uidRequestCountMax = 2
        } _: { path, _ in
            do {
                let first = try SocketClient(path: path)
                _ = try first.greet(Self.database)
                for number: UInt64 in 2...3 {  // Two that nobody answers.
                    try first.send(.firestore(.getNamedQuery("none")), number: number)
                }
                try first.send(.session(.ping), number: 4)
                #expect(try first.receive().number == 4)
                let second = try SocketClient(path: path)
                _ = try second.greet(Self.database)
                try second.send(.firestore(.waitForPendingWrites), number: 2)
                guard case (2, .failed(let error)) = try second.receive() else {
                    Issue.record("The limit does not hold")
                    return
                }
                #expect(error.code == .resourceExhausted)
                #expect(error.message.contains("limits.uidRequestCountMax = 2 requests"))
            }
            let third = try SocketClient(path: path)
            _ = try third.greet(Self.database)
            for number: UInt64 in 2...10_000 {  // The first one's end is noticed soon.
                try third.send(.firestore(.waitForPendingWrites), number: number)
                if case .done = try third.receive().event { return }
                sched_yield()
            }
            Issue.record("What the first waited for still counts")
        }
    }

    @Test func `a reload changes the level of the log`() async throws {
        let threshold = LogThreshold(.info)
        let server = HearthServer(
            configuration: ServerConfiguration(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            logThreshold: threshold,
            makers: .firestore { ServerBench(openFailures: []).make($0, $1) })
        server.enableReload {
            let layer = ConfigurationLayer(flags: ["log.level": "debug"])
            return ServerConfiguration.join(
                [layer], in: Surroundings(environment: [:], isRoot: false))
        }
        server.reporter.reloadLater()
        _ = try await eventually {
            threshold.level
        } is: {
            $0 == .debug
        }
        await server.stop()
    }

    @Test func `a user has so many clients, and may come again when one is gone`() async throws {
        try await withServer {
            $0.limits.uidClientCountMax = 2
        } _: { path, _ in
            let first = try SocketClient(path: path)
            _ = try first.greet(Self.database)
            do {
                let second = try SocketClient(path: path)
                _ = try second.greet(Self.database)
                let third = try SocketClient(path: path)
                guard case (0, .failed(let error)) = try third.receive() else {
                    Issue.record("The limit does not hold")
                    return
                }
                #expect(error.code == .resourceExhausted)
                #expect(error.message.contains("limits.uidClientCountMax = 2 clients"))
                #expect(third.isClosed())
            }
            let deadline = ContinuousClock.now + .seconds(10)
            while ContinuousClock.now < deadline {
                let again = try SocketClient(path: path)
                if (try? again.greet(Self.database)) != nil { return }
                sched_yield()
            }
            Issue.record("Nobody may come again")
        }
    }
}
