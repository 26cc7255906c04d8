import Foundation
import HearthModel
import HearthWire
import Testing

@testable import Hearth

/// The client in plain Python shares nothing with our codec but hearth.proto.
struct PythonClientTests {
    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples/hearth_client.py").path
    private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    static var isThere: Bool { python != nil }

    private let daemon: FakeDaemon

    init() throws {
        daemon = try FakeDaemon()
    }

    /// Starts the client and returns the client's output after its end.
    private func run(_ arguments: String...) throws -> Task<String, Never> {
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.python))
        process.arguments = [Self.script, "--socket", daemon.path] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let handle = output.fileHandleForReading
        return Task {
            await withCheckedContinuation { continuation in
                // Reading blocks, which Swift's few threads must not.
                WorkerThread.start {
                    let data = try? handle.readToEnd()
                    continuation.resume(returning: String(decoding: data ?? Data(), as: UTF8.self))
                }
            }
        }
    }

    private func session() async throws -> FakeSession {
        var iterator = daemon.sessions.makeAsyncIterator()
        let session = try #require(await iterator.next())
        #expect(try await session.greet()?.program == "hearth_client.py")
        return session
    }

    @Test(.enabled(if: isThere))
    func `a write of the Python client is what it says`() async throws {
        let output = try run(
            "set", "rooms/hall", #"{"n": -3, "x": 1.5, "s": "\u00e9", "l": [null, true, {}]}"#)
        let session = try await session()
        let asked = try #require(await session.next())
        guard case .firestore(.write(let write)) = asked.request else {
            Issue.record("No write came")
            return
        }
        #expect(write.sequence == 1)
        #expect(write.mutations.map(\.key.description) == ["rooms/hall"])
        #expect(
            write.mutations.first?.kind
                == .set([
                    "n": .integer(-3), "x": .double(1.5), "s": .string("\u{e9}"),
                    "l": .array([.null, .boolean(true), .map(.empty)]),
                ]))
        try session.send(Events.accepted(1), asked.number)
        try session.send(Events.committed(1), asked.number)
        #expect(await output.value == #"{"batch": 1, "stage": "committed"}"# + "\n")
    }

    @Test(.enabled(if: isThere))
    func `a query of the Python client is what it says, and it reads the answer`() async throws {
        let output = try run(
            "query", "rooms/hall/lamps", "--where", "n", ">", "1", "--order-by=-n", "--limit", "2")
        let session = try await session()
        let asked = try #require(await session.next())
        var query = HearthModel.Query(path: ResourcePath(["rooms", "hall", "lamps"]))
        let field = HearthModel.FieldPath(["n"])
        query.filters = [.field(field, .greaterThan, .integer(1))]
        query.explicitOrderBys = [OrderBy(field, .descending)]
        query.limit = HearthModel.Query.Limit(2)
        #expect(asked.request == .firestore(.get(query, .default)))
        let lamp = try Events.listed("rooms/hall/lamps/a", ["n": .integer(2)], isPending: true)
        try session.send(
            .answer(try Events.snapshot(1, [lamp], hasMore: true)), asked.number)
        try session.send(.answer(try Events.snapshot(1, isFromCache: true)), asked.number)
        let text = await output.value
        #expect(text.contains(#""path": "rooms/hall/lamps/a", "data": {"n": 2}"#))
        #expect(text.contains(#""hasPendingWrites": true"#))
        #expect(text.contains(#""isFromCache": true"#))
    }

    @Test(.enabled(if: isThere))
    func `the Python client listens, and tells of a failure`() async throws {
        let output = try run("listen", "rooms", "--metadata")
        let session = try await session()
        let asked = try #require(await session.next())
        #expect(
            asked.request
                == .firestore(
                    .listen(
                        HearthModel.Query(path: ResourcePath(["rooms"])),
                        ListenOptions(includeMetadataChanges: true))))
        try session.send(
            .snapshot(try Events.snapshot(1, [try Events.listed("rooms/a", [:])])), asked.number)
        try session.send(
            .snapshot(try Events.snapshot(2, base: 1, removed: ["rooms/a"])), asked.number)
        try session.send(
            .listenFailed(HearthError(code: .permissionDenied, message: "No.")), asked.number)
        let lines = await output.value.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first?.contains(#""isWhole": true"#) ?? false)
        #expect(lines.dropFirst().first?.contains(#""removed": ["rooms/a"]"#) ?? false)
        #expect(lines.last == #"{"error": "No.", "code": 7}"#)
    }
}
