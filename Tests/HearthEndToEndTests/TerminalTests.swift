import Hearth
import HearthTestSupport
import Testing

/// The real `hearth` at a terminal that other programs use too.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TerminalTests {
    @Test func `who has the terminal writes over its own lines`() async throws {
        let sent = try await listen("hearth listen rooms --count 2")
        #expect(sent.contains("\u{1B}["))
    }

    @Test func `in the background nothing is written over that others wrote`() async throws {
        // As a shell does for a person: what is sent behind has a process group of its own.
        let sent = try await listen("set -m; hearth listen rooms --count 2 & wait")
        #expect(!sent.contains("\u{1B}["))
    }

    /// What a terminal got of a listener's two snapshots.
    private func listen(_ line: String) async throws -> String {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        _ = try await client.daemonStatus()  // It is up.
        let run = try TerminalRun(world, machine, line)
        _ = try await eventually({ run.sent }, is: { $0.contains("snapshot 1: 0 documents") })
        try await client.document("rooms/hall").setData(["seats": 40])
        #expect(run.exitStatus() == 0)
        #expect(run.lines.contains { $0.contains("snapshot 2: 1 document") })
        #expect(run.lines.contains { $0.contains("+ rooms/hall") })
        return run.sent
    }
}
