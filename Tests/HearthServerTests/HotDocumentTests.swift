import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import Testing

/// Gets of hot documents beside writes, on a real server with the real engine and a store on disk.
struct HotDocumentTests {
    private static let rounds = 300

    private static func write(_ number: Int64) -> Request {
        let mutation = Mutation(
            key: Rooms.document("hall", 0).key, kind: .set(["n": .integer(number)]))
        return .firestore(
            .write(.init(sequence: UInt64(number), answeredBelow: 0, mutations: [mutation])))
    }

    /// A write whose frame is too large to be read on an event loop.
    private static func largeWrite(_ number: Int64) -> Request {
        let mutation = Mutation(
            key: Rooms.document("hall", 0).key,
            kind: .set([
                "n": .integer(number), "text": .string(String(repeating: "x", count: 100_000)),
            ]))
        return .firestore(
            .write(.init(sequence: UInt64(number), answeredBelow: 0, mutations: [mutation])))
    }

    private static let get = Request.firestore(
        .get(Query(document: Rooms.document("hall", 0).key), .cache))

    /// The number in the document of an answer or a snapshot.
    private static func number(in event: Event) -> Int64? {
        switch event {
        case .answer(let snapshot), .snapshot(let snapshot):
            if case .integer(let number)? = snapshot.documents.first?.document.fields["n"] {
                return number
            }
        default: break
        }
        return nil
    }

    @Test func `a session reads its own writes, however hot the document is`() async throws {
        try await ServerRun.runOffline { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(ServerRun.database)
            var next: UInt64 = 2
            for round in 1...Int64(Self.rounds) {
                // The write, and twice the get behind it before any answer.
                try client.send(Self.write(round), number: next)
                try client.send(Self.get, number: next + 1)
                try client.send(Self.get, number: next + 2)
                for _ in 1...3 {
                    let (number, event) = try client.receive()
                    if number > next { #expect(Self.number(in: event) == round) }
                }
                // Once it is hot.
                for _ in 1...2 {
                    try client.send(Self.get, number: next + 3)
                    #expect(Self.number(in: try client.receive().event) == round)
                    next += 1
                }
                next += 3
            }
        }
    }

    @Test func `nobody reads what is older than what he was told`() async throws {
        try await ServerRun.runOffline { path, _ in
            let writer = try SocketClient(path: path)
            _ = try writer.greet(ServerRun.database)
            let reader = try SocketClient(path: path)
            _ = try reader.greet(ServerRun.database)
            let query = Query(document: Rooms.document("hall", 0).key)
            let options = ListenOptions(includeMetadataChanges: false, isCacheOnly: true)
            try reader.send(.firestore(.listen(query, options)), number: 2)
            var (written, asked): (Int64, UInt64) = (0, 3)
            var seen: Int64 = 0
            while seen < Int64(Self.rounds) {
                if written <= seen, written < Int64(Self.rounds) {
                    written += 1
                    try writer.send(Self.write(written), number: UInt64(written) + 1)
                }
                let (number, event) = try reader.receive()
                guard let told = Self.number(in: event) else { continue }
                #expect(told >= seen, "request \(number)")
                seen = max(seen, told)
                guard number == 2 else { continue }
                // Told by the listener: both, the cold and the hot answer, are as new.
                for _ in 1...2 {
                    try reader.send(Self.get, number: asked)
                    asked += 1
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a get behind a large write sees the write`() async throws {
        try await ServerRun.runOffline { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(ServerRun.database)
            let codec = WireCodec(database: ServerRun.database)
            for round in Int64(1)...20 {
                let bytes =
                    FrameEncoder.bytes(
                        of: try codec.frame(of: Self.largeWrite(round), number: UInt64(3 * round)))
                    + FrameEncoder.bytes(
                        of: try codec.frame(of: Self.get, number: UInt64(3 * round + 1)))
                try client.send(bytes: bytes)
                var found: Int64?
                while found == nil {
                    let (number, event) = try client.receive()
                    if number == 3 * round + 1 { found = Self.number(in: event) }
                }
                #expect(found == round)
            }
        }
    }
}
