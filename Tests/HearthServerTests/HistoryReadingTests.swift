import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import Testing

/// The history of a document, asked of a real server with the real engine.
struct HistoryReadingTests {
    private static let hall = "rooms/hall"

    private func withServer(
        persists: Bool = true, isKept: Bool = true,
        _ body: @escaping @Sendable (SocketClient) throws -> Void
    ) async throws {
        try await ServerRun.runOffline {
            if !persists { $0.storeFolder = nil }
            $0.historyTerms.isKept = isKept
        } _: { path, _ in
            let client = try SocketClient(path: path)
            _ = try client.greet(ServerRun.database, program: "lamp")
            try body(client)
        }
    }

    private static func write(_ client: SocketClient, _ number: UInt64, _ size: Int = 1) throws {
        let text = String(repeating: "x", count: size)
        let mutation = Mutation(
            key: try DocumentKey(parsing: hall),
            kind: .set(["n": .integer(Int64(number)), "text": .string(text)]))
        try client.send(
            .firestore(
                .write(.init(sequence: number, answeredBelow: number, mutations: [mutation]))),
            number: number)
        _ = try client.receive()
    }

    private static func page(
        _ client: SocketClient, _ number: UInt64, before: Int64? = nil, at: Timestamp? = nil
    ) throws -> HistoryPage? {
        let question = HistoryQuestion(
            of: try DocumentKey(parsing: hall), before: before, at: at)
        try client.send(.inquiry(.history(question)), number: number)
        guard case (number, .report(.history(let page))) = try client.receive() else { return nil }
        return page
    }

    @Test func `whoever reads a history is told who wrote, page after page`() async throws {
        try await withServer { client in
            for number in UInt64(2)...131 { try Self.write(client, number) }
            let first = try #require(try Self.page(client, 500))
            #expect(first.entries.count == HistoryLimits.pageCountMax)
            #expect(first.hasMore)
            let newest = try #require(first.entries.first)
            #expect(newest.local.fields["n"] == .integer(131))
            #expect(newest.event.write?.writer.pid == getpid())
            #expect(newest.event.write?.writer.program == "lamp")
            let rest = try #require(
                try Self.page(client, 501, before: first.entries.last?.number))
            #expect(rest.entries.count == 30 && !rest.hasMore)
            #expect(rest.entries.last?.local.fields["n"] == .integer(2))
            let then = try #require(try Self.page(client, 502, at: newest.notedAt))
            #expect(then.entries == [newest])
        }
    }

    @Test func `large documents go in small pages`() async throws {
        try await withServer { client in
            for number in UInt64(2)...4 { try Self.write(client, number, 700_000) }
            let page = try #require(try Self.page(client, 9))
            #expect(page.entries.count == 1 && page.hasMore)
        }
    }

    @Test func `a daemon without history has none to show`() async throws {
        try await withServer(isKept: false) { client in
            try Self.write(client, 2)
            #expect(try Self.page(client, 9) == HistoryPage(entries: [], hasMore: false))
        }
    }

    @Test func `a history in memory alone is said to be the reason`() async throws {
        try await withServer(persists: false) { client in
            let question = HistoryQuestion(of: try DocumentKey(parsing: Self.hall))
            try client.send(.inquiry(.history(question)), number: 2)
            guard case (2, .failed(let error)) = try client.receive() else {
                Issue.record("no failure")
                return
            }
            #expect(error.code == .unavailable)
            #expect(error.message.contains("memory"))
        }
    }
}
