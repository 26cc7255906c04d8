import Glibc
import Hearth
import HearthTestSupport
import Testing

/// What the article "At the terminal" shows, typed line by line at a terminal.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AtTheTerminalArticleTests {
    /// A line to type, and the lines that follow.
    private struct Step {
        var command: String
        var output: [String] = []
    }

    @Test func `a session at the terminal goes as the article shows`() async throws {
        let world = try World()
        let machine = try world.machine(
            "machine", ["--history.isKept", "true"], project: "demo-first")
        let client = machine.client()
        _ = try await client.daemonStatus()  // It is up.
        let steps = try steps()
        #expect(steps.count > 10)
        for step in steps {
            // A person types slowly enough for what was written before to have gone.
            if step.command.contains("network off") { try await client.waitForPendingWrites() }
            // A step of the history is one line of more than 80 characters.
            let run = try TerminalRun(world, machine, step.command, columns: 120)
            let status = run.exitStatus()
            #expect(status == 0, "\(step.command): \(run.sent)")
            #expect(comparable(run.lines) == comparable(step.output), "\(step.command)")
        }
    }

    @Test func `a queue that drains shows how far it has come`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        for number in 1...3 {
            try await client.document("rooms/\(number)").setData(["n": number], until: .accepted)
        }
        let run = try TerminalRun(world, machine, "hearth wait --state drained")
        _ = try await eventually({ run.sent }, is: { $0.contains("] 0/3 0%") })
        try world.startEmulator()
        #expect(run.exitStatus() == 0)
        #expect(run.lines.count == 2)
        #expect(run.lines.first?.contains(" 3/3 100%") == true)
        #expect(run.lines.last == "drained")
    }

    /// The commands of the article, but for those that start daemons.
    private func steps() throws -> [Step] {
        let root = #filePath.split(separator: "/Tests/").dropLast().joined(separator: "/Tests/")
        let path = root + "/Sources/Flame/Hearth/Hearth.docc/AtTheTerminal.md"
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        var steps: [Step] = []
        var isInside = false
        var isWatched = false
        let joined = text.split(separator: "\\\n").joined()
        for line in joined.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = line == "```sh"
                isWatched = false
            } else if isInside, line.hasPrefix("$ ") {
                isWatched = line.hasPrefix("$ hearth ")
                if isWatched { steps.append(Step(command: String(line.dropFirst(2)))) }
            } else if isInside, isWatched {
                steps[steps.count - 1].output.append(String(line))
            }
        }
        return steps
    }

    /// The lines without what is otherwise on each machine and in each moment: times, names of
    /// processes and sockets, the state of the clock, and a bar that only a slow backend lets see.
    private func comparable(_ lines: [String]) -> [String] {
        lines.filter { line in
            !line.contains("  clock  ") && !line.hasPrefix("              ")
                && !line.hasPrefix("sending [")
        }.map { line in
            line.replacing(#/ \d+ m?s\b/#, with: " TIME")
                .replacing(#/\d{4}-\d\d-\d\dT[\d:.]+Z/#, with: "MOMENT")
                .replacing(#/\[\d+\] of .*? {2}/#, with: "[PID] of SOMEBODY  ")
                .replacing(#/\[\d+\] of uid \d+/#, with: "[PID] of SOMEBODY")
                .replacing(#/127\.0\.0\.1:\d+|unix:\S+/#, with: "ADDRESS")
                .replacing(#/\/\S+\.sock/#, with: "SOCKET")
                .replacing(#/\S+ may use /#, with: "SOMEBODY may use ")
                // Columns are as wide as the number of a process.
                .replacing(#/(\S) {2,}/#) { "\($0.output.1)  " }
        }
    }
}
