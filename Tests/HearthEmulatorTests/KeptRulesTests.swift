import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// Rules that a project is given while the emulator runs, over restarts.
@Suite(.timeLimit(.minutes(1)))
struct KeptRulesTests {
    private static func rules(_ condition: String) -> String {
        "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents "
            + "{ match /{all=**} { allow read, write: if \(condition); } } }"
    }

    private static func put(
        _ source: String, at address: String, expecting status: Int
    ) async throws {
        let body = #"{"rules":{"files":[{"name":"r","content":"\#(source)"}]}}"#
        let answer = try await Task.detached {
            try HTTPCall.send(
                "PUT", "/emulator/v1/projects/spec:securityRules", at: address, body: body)
        }.value
        #expect(answer.status == status)
    }

    private static func expectStatus(_ status: Int, _ address: String) async throws {
        let answer = try await Task.detached {
            try HTTPCall.send("GET", "/v1/\(RawClient.name("c/a"))", at: address)
        }.value
        #expect(answer.status == status)
    }

    @Test func `rules given to a project come back with its folder, and win over the common ones`()
        async throws
    {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        try await withEmulator(dataFolder: folder.path) { _, _, address in
            try await Self.expectStatus(404, address)
            try await Self.put(Self.rules("false"), at: address, expecting: 200)
            try await Self.expectStatus(403, address)
            try await Self.put("service", at: address, expecting: 400)
        }
        try await withEmulator(dataFolder: folder.path) { emulator, _, address in
            try await Self.expectStatus(403, address)
            try emulator.setRules(Self.rules("true"))
            try await Self.expectStatus(403, address)
            try await Self.put(Self.rules("1 < 2"), at: address, expecting: 200)
            try await Self.expectStatus(404, address)
        }
        try await withEmulator(dataFolder: folder.path) { emulator, _, address in
            try emulator.setRules(Self.rules("false"))
            try await Self.expectStatus(404, address)
        }
    }

    @Test func `rules that the folder holds and nobody understands end the start`() async throws {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let keeper = try Keeper(folder: folder.path)
        let broken = KeptRules(project: "spec", source: "service")
        try keeper.save([], rules: [broken], clock: keeper.clock)
        #expect(try keeper.rules() == [broken])
        keeper.close()
        let error = await #expect(throws: HearthError.self) {
            try await withEmulator(dataFolder: folder.path) { _, _, _ in }
        }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("the project spec") == true)
    }
}
