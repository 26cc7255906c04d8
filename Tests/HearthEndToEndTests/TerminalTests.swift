import Foundation
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

    @Test(arguments: [80, 120])
    func `on a terminal ages go on, and what is too long ends in an ellipsis`(width: Int)
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        let path = "rooms/" + String(repeating: "long-", count: 40)
        try await client.document(path).setData(["seats": 40], until: .accepted)
        let watching = try TerminalRun(
            world, machine, "stty cols \(width) <&1; exec hearth watch --every 100ms")
        // The same queue, seconds older: nothing else has changed.
        _ = try await eventually({ Self.ages(in: watching.sent) }, is: { $0.count > 2 })
        let listing = try TerminalRun(world, machine, "stty cols \(width) <&1; hearth queue list")
        #expect(listing.exitStatus() == 0)
        let row = try #require(listing.lines.first { $0.contains("rooms/") })
        #expect(row.count == width)
        #expect(row.hasSuffix("…"))
        machine.stopDaemon()
        _ = try await eventually({ watching.sent }, is: { $0.contains("not running") })
    }

    /// The ages of the oldest batch that were shown.
    private static func ages(in text: String) -> Set<Substring> {
        Set(text.components(separatedBy: "the oldest ").dropFirst().map { $0.prefix { $0 != " " } })
    }

    @Test func `a wait for a drained queue ends when the daemon stands still`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        try await client.document("rooms/hall").setData(["n": 1], until: .accepted)
        let run = try TerminalRun(world, machine, "hearth wait --state drained")
        _ = try await eventually({ run.sent }, is: { $0.contains("it stands") })
        machine.setStandingStill(true)
        #expect(run.exitStatus() > 0, "\(run.sent)")
        machine.setStandingStill(false)
    }

    @Test func `the bar of a drain tells the present rate and the time that is left`() async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        for number in 0..<400 {
            try await client.document("rooms/\(number)").setData(["n": number], until: .accepted)
        }
        let run = try TerminalRun(world, machine, "hearth wait --state drained")
        _ = try await eventually({ run.sent }, is: { $0.contains("0/s, it stands") })
        try world.startEmulator()
        _ = try? await client.retryBackend()
        #expect(run.exitStatus() == 0)
        #expect(run.sent.contains("400/400 100%"))
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
