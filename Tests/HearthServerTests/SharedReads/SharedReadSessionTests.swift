import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthWire
import Testing

@testable import HearthServer

/// Descriptors of the memory file on the sockets of a real server with the real engine.
struct SharedReadSessionTests {
    private static let database = ServerRun.database
    private static let hall = Rooms.document("hall", 0).key

    /// Runs a server without a backend, which may share so much.
    private func withServer(
        byteCount: Int = SharedReadLayout.byteCountMin,
        _ body: @escaping @Sendable (_ path: String, _ server: HearthServer) throws -> Void
    ) async throws {
        try await ServerRun.runOffline({ $0.limits.sharedReadByteCount = byteCount }, body)
    }

    private static func client(_ path: String) throws -> SocketClient {
        let client = try SocketClient(path: path)
        _ = try client.greet(database)
        return client
    }

    /// The file that the daemon hands out under a number.
    private static func receiveFile(_ client: SocketClient, _ number: UInt64) throws
        -> ReadersMapping?
    {
        while true {
            let (answered, event) = try client.receive()
            guard answered == number, case .sharedReads(let byteCount) = event else { continue }
            guard let byteCount else { return nil }
            let file = try #require(client.takeFile())
            defer { close(file) }
            let mapping: ReadersMapping = try #require(ReadersMapping(file, byteCount: byteCount))
            return mapping
        }
    }

    private static func write(_ client: SocketClient, _ number: Int64) throws {
        let mutation = Mutation(key: hall, kind: .set(["n": .integer(number)]))
        try client.send(
            .firestore(
                .write(.init(sequence: UInt64(number), answeredBelow: 0, mutations: [mutation]))),
            number: UInt64(1_000 + number))
        while case let (answered, _) = try client.receive(), answered != UInt64(1_000 + number) {}
    }

    private static func get(_ client: SocketClient, _ number: UInt64) throws {
        try client.send(.firestore(.get(Query(document: hall), .cache)), number: number)
        while case let (answered, _) = try client.receive(), answered != number {}
    }

    /// The last value, when it is right or half a minute has passed.
    private static func awaited<Value>(
        _ value: () throws -> Value, is isRight: (Value) -> Bool
    ) throws -> Value {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let last = try value()
            if isRight(last) || ContinuousClock.now > deadline { return last }
            sched_yield()
        }
    }

    private static func number(in mapping: ReadersMapping) -> Int64? {
        guard let body = mapping.body("rooms/hall"), let answer = EncodedAnswer(body),
            case .integer(let number)? = answer.value(
                at: FieldPath(["n"]), WireCodec(database: database))
        else { return nil }
        return number
    }

    @Test(.timeLimit(.minutes(1)))
    func `a session gets the file, and finds there what its gets would say`() async throws {
        try await withServer { path, server in
            let client = try Self.client(path)
            try client.send(.session(.shareReads), number: 2)
            let mapping = try #require(try Self.receiveFile(client, 2))
            for round in Int64(1)...20 {
                try Self.write(client, round)
                #expect(Self.number(in: mapping) == nil)  // The write is accepted: no older answer.
                try Self.get(client, UInt64(10 + round))
                #expect(Self.number(in: mapping) == round)
            }
            #expect(server.hasSharedReads)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a descriptor finds its way between large answers that the client reads late`()
        async throws
    {
        try await withServer { path, _ in
            let client = try Self.client(path)
            let text = String(repeating: "x", count: 200_000)
            let mutation = Mutation(key: Self.hall, kind: .set(["text": .string(text)]))
            try client.send(
                .firestore(.write(.init(sequence: 1, answeredBelow: 0, mutations: [mutation]))),
                number: 2)
            // Megabytes of answers, and the request for the file in their midst.
            for number in UInt64(3)..<23 {
                try client.send(
                    .firestore(.get(Query(document: Self.hall), .cache)), number: number)
                if number == 10 { try client.send(.session(.shareReads), number: 100) }
            }
            var answered: Set<UInt64> = []
            while answered.count < 21 {
                let (number, event) = try client.receive()
                switch event {
                case .answer: answered.insert(number)
                case .sharedReads(let byteCount):
                    #expect(number == 100 && byteCount != nil)
                    close(try #require(client.takeFile()))
                    answered.insert(number)
                default: break
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `when the file ends, whoever still may gets another, and the old one says nothing`()
        async throws
    {
        try await withServer { path, server in
            let client = try Self.client(path)
            try client.send(.session(.shareReads), number: 2)
            let old = try #require(try Self.receiveFile(client, 2))
            try Self.write(client, 1)
            try Self.get(client, 3)
            #expect(Self.number(in: old) == 1)
            let reads = try #require(
                server.engines.engine(of: .firestore(Self.database))?.cachedReads)
            reads.endSharing { _ in false }
            #expect(Self.number(in: old) == nil)
            let new = try #require(try Self.receiveFile(client, 2))
            try Self.get(client, 4)
            #expect(Self.number(in: new) == 1)
            #expect(old.hasEnded && old.isBlank)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a reload of the files' size counts at once, for who has a file too`() async throws {
        try await withServer { path, server in
            let client = try Self.client(path)
            try client.send(.session(.shareReads), number: 2)
            let old = try #require(try Self.receiveFile(client, 2))
            let byteCount = 2 * SharedReadLayout.byteCountMin
            server.reconfigure(
                server.settings.change { $0.limits.sharedReadByteCount = byteCount })
            #expect(old.hasEnded && old.isBlank)
            let new = try #require(try Self.receiveFile(client, 2))
            #expect(new.byteCount == byteCount)
            // The same again changes nothing.
            server.reconfigure(server.settings.values)
            #expect(!new.hasEnded)
            server.reconfigure(server.settings.change { $0.limits.sharedReadByteCount = 0 })
            #expect(new.hasEnded)
            #expect(try Self.receiveFile(client, 2) == nil)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `another user's sign-in takes back what was there`() async throws {
        try await withServer { path, server in
            let client = try Self.client(path)
            try client.send(.session(.shareReads), number: 2)
            let mapping = try #require(try Self.receiveFile(client, 2))
            try Self.write(client, 1)
            try Self.get(client, 3)
            #expect(Self.number(in: mapping) == 1)
            server.changeUser(to: UserID("ada"))
            // The change has its turn soon; from then on ada is asked, who has no such write.
            let deadline = ContinuousClock.now + .seconds(20)
            var number: UInt64 = 4
            while mapping.body("rooms/hall") != nil, ContinuousClock.now < deadline {
                try Self.get(client, number)
                number += 1
            }
            try Self.get(client, number)
            #expect(mapping.body("rooms/hall") == nil)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `where files are switched off, sessions are told to ask`() async throws {
        try await withServer(byteCount: 0) { path, server in
            let client = try Self.client(path)
            try client.send(.session(.shareReads), number: 2)
            #expect(try Self.receiveFile(client, 2) == nil)
            #expect(!server.hasSharedReads)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a client that reads nothing has one descriptor on the way, however often it asks`()
        async throws
    {
        try await withServer { path, server in
            let client = try Self.client(path)
            for number in UInt64(2)...500 {
                try client.send(.session(.shareReads), number: number)
            }
            // Another client's answer: the daemon has read what came before.
            let other = try Self.client(path)
            try Self.get(other, 2)
            #expect(try Self.awaited({ try client.unreadFileCount() }, is: { $0 >= 1 }) == 1)
            #expect(server.descriptors.count == 1)
            // All but the first request are refused, and a file came with the first alone.
            guard case .sharedReads(_?) = try client.receive().event else {
                Issue.record("the first answer brings no file")
                return
            }
            for _ in 3...500 {
                guard case .failed = try client.receive().event else {
                    Issue.record("a further request is not refused")
                    return
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `where others let descriptors lie, a session asks by the socket, and has a file later`()
        async throws
    {
        try await withServer { path, server in
            // Of half of them the daemon has closed the connection.
            let silent = try (0..<24).map { place in
                let client = try Self.client(path)
                try client.send(.session(.shareReads), number: 2)
                if place.isMultiple(of: 2) {
                    try client.send(.session(.ping), number: 0)
                }
                return client
            }
            let lying = try Self.awaited(
                { try silent.reduce(0) { $0 + (try $1.unreadFileCount()) } }, is: { $0 >= 16 })
            #expect(lying == 16)
            let client = try Self.client(path)
            try client.send(.session(.shareReads), number: 2)
            #expect(try Self.receiveFile(client, 2) == nil)
            try Self.write(client, 1)
            try Self.get(client, 3)
            #expect(server.descriptors.count == 16)
            // They go, and the session is offered the file without another word.
            for client in silent { client.cut() }
            let mapping = try #require(try Self.receiveFile(client, 2))
            try Self.get(client, 4)
            #expect(Self.number(in: mapping) == 1)
        }
    }
}
