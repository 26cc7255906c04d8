import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import Testing

/// Where a document stands, asked of a real server with the real engine.
struct DocumentDescriptionTests {
    private func withServer(
        persists: Bool, _ body: @escaping @Sendable (SocketClient) throws -> Void
    ) async throws {
        try await ServerRun.runOffline {
            if !persists { $0.storeFolder = nil }
        } _: { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(ServerRun.database, program: "lamp")
            try body(client)
        }
    }

    private static func write(to path: String, _ number: UInt64) throws -> Request {
        let mutation = Mutation(key: try DocumentKey(parsing: path), kind: .set(.empty))
        return .firestore(
            .write(.init(sequence: number, answeredBelow: 0, mutations: [mutation])))
    }

    @Test func `whoever has a write waiting for a document is told, and for no other`() async throws
    {
        try await withServer(persists: true) { client in
            for (number, path) in ["rooms/hall", "rooms/attic", "rooms/hall"].enumerated() {
                let number = UInt64(number + 2)
                try client.send(Self.write(to: path, number), number: number)
                _ = try client.receive()
            }
            let hall = try DocumentKey(parsing: "rooms/hall")
            try client.send(.inquiry(.document(hall)), number: 9)
            guard case (9, .report(.document(let description))) = try client.receive() else {
                Issue.record("no description")
                return
            }
            #expect(description.state == .unknown)
            #expect(description.readAt == .zero)
            #expect(!description.isInTarget)
            #expect(description.batches.count == 2)
            for batch in description.batches {
                #expect(batch.content == .documents([hall], []))
                #expect(batch.writer.pid == getpid())
                #expect(batch.writer.program == "lamp")
            }
        }
    }

    @Test func `a cache that is kept in memory alone is said to be the reason`() async throws {
        try await withServer(persists: false) { client in
            let hall = try DocumentKey(parsing: "rooms/hall")
            try client.send(.inquiry(.document(hall)), number: 2)
            guard case (2, .failed(let error)) = try client.receive() else {
                Issue.record("no failure")
                return
            }
            #expect(error.code == .unavailable)
            #expect(error.message.contains("memory"))
        }
    }
}
