import Hearth
import HearthTestSupport
import Testing

/// What an operator sees when the backend is away, and how he clears a long queue.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct OperatorTests {
    private func hearth(
        _ world: World, _ machine: Machine, _ arguments: String..., input: String = ""
    ) throws -> CommandRun {
        try CommandRun(world, machine, arguments, input: input)
    }

    @Test func `status names the last error and the next attempt, and forgets them`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        try await machine.client().document("rooms/hall").setData(["n": 1], until: .accepted)
        let failed = try await eventually {
            try await machine.client().daemonStatus()
        } is: {
            $0.connectionError != nil && $0.nextAttemptDelay != nil
        }
        #expect(failed.connectionError?.code == .unavailable)
        _ = try await eventually {
            try hearth(world, machine, "status").output
        } is: { lines in
            lines.contains { $0.contains("ago the backend failed: UNAVAILABLE") }
        }
        try world.startEmulator()
        #expect(try hearth(world, machine, "queue", "retry").status == 0)
        _ = try await eventually {
            try await machine.client().daemonStatus()
        } is: {
            $0.connectionError == nil && $0.queueBatchCount == 0
        }
    }

    @Test func `every commit is counted, over reconnects too`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        for round in 0..<3 {
            for number in 0..<20 {
                try await client.document("rooms/\(round)-\(number)")
                    .setData(["n": number], until: .accepted)
            }
            world.killEmulator()
            for number in 20..<40 {
                try await client.document("rooms/\(round)-\(number)")
                    .setData(["n": number], until: .accepted)
            }
            try world.startEmulator()
            _ = try? await client.retryBackend()
            try await client.waitForPendingWrites()
        }
        let metrics = try hearth(world, machine, "metrics").output
        func value(_ name: String) -> String? {
            metrics.first { $0.hasPrefix(name + "{") }?.split(separator: " ").last.map(String.init)
        }
        #expect(value("hearth_writes_committed_total") == "120")
        #expect(value("hearth_upstream_commit_seconds_count") == "120")
    }

    /// The first three cells of a line of causes, and the last.
    private static func numbersAndCause(_ line: String) -> [String] {
        let cells = line.split(separator: "  ").map { String($0.drop { $0 == " " }) }
        return Array(cells.prefix(3)) + Array(cells.suffix(1))
    }

    @Test func `a long queue is cancelled by range, by condition and whole`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        for number in 1...60 {
            try await client.document("\(number % 2 == 0 ? "even" : "odd")/\(number)")
                .setData(["n": number], until: .accepted)
        }
        #expect(try hearth(world, machine, "queue", "hold", "58").status == 0)
        let causes = try hearth(world, machine, "queue", "list", "--by-cause").output
        #expect(
            causes.map(Self.numbersAndCause) == [
                ["BATCHES", "FIRST", "LAST", "CAUSE"],
                ["57", "1", "57", "waits to be sent"],
                ["2", "59", "60", "behind held batch 58"],
                ["1", "58", "58", "held by an administrator"],
            ])
        #expect(
            try hearth(world, machine, "status").output.contains { $0.contains("1 of them held") })
        #expect(
            try hearth(world, machine, "queue", "cancel", "1-3", "5").output
                == ["cancelled 1", "cancelled 2", "cancelled 3", "cancelled 5"])
        #expect(
            try hearth(
                world, machine, "queue", "cancel", "--where",
                "documents array-contains-any [\"odd/7\",\"even/8\"]"
            ).output == ["cancelled 7", "cancelled 8"])
        #expect(
            try hearth(world, machine, "queue", "cancel", "--all").output
                == ["cancelled 54 batches, 4 to 60"])
        #expect(try hearth(world, machine, "queue", "--json").output.isEmpty)
        let groups = try hearth(world, machine, "dead-letters", "--by-cause", "--json").output
        #expect(groups.count == 1)
        #expect(groups.first?.contains(#""batches":60,"first":1,"last":60"#) == true)
        let letter = try #require(
            try hearth(world, machine, "dead-letters", "list", "7").output.last)
        #expect(letter.hasPrefix("    7  cancelled  "))
        #expect(!letter.contains("backend"))
        #expect(
            try hearth(
                world, machine, "dead-letters", "retry", "--where", "cause == CANCELLED", "--quiet",
                "10-"
            ).status == 0)
        #expect(try hearth(world, machine, "dead-letters", "--json").output.count == 9)
        #expect(try hearth(world, machine, "dead-letters", "drop", "--all", "--yes").status == 0)
        let none = try hearth(world, machine, "dead-letters", "retry", "--all")
        #expect(none.status == 0)
        #expect(none.complaints == ["No batch is meant."])
    }

    @Test func `an import tells how far it came before a refusal`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine("machine", ["--queue.batchCountMax", "3"])
        _ = try await machine.client().daemonStatus()
        let records = (1...10).map { #"{"id":"r\#($0)","n":\#($0)}"# }.joined(separator: ",")
        let run = try hearth(
            world, machine, "import", "-", "--collection", "rooms", "--id", "id", "--batch-size",
            "2",
            input: "[\(records)]")
        #expect(run.status == CommandRun.tryAgainStatus)
        let words = try #require(run.complaints.last)
        // Batches are on the way together, so the refused batch may be any of them.
        let refused = (1...9).filter {
            words.contains("Documents \($0) (r\($0)) to \($0 + 1) were refused together.")
        }
        #expect(refused.count == 1, "\(words)")
        #expect(words.contains("6 documents of 10 had been written; they stay."))
    }

    @Test func `each process is listed once`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        _ = try await client.daemonStatus()
        for _ in 0..<20 {
            let run = try hearth(world, machine, "clients", "--json")
            let own = run.output.filter { $0.contains(#""program":"hearth""#) }
            #expect(own.count == 1)
            #expect(run.output.count == 2)
        }
    }
}
