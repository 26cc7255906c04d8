import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// What the ledger of a real daemon says of a real backend's work.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct LedgerTests {
    /// Listens, and adds up what the backend has confirmed.
    private func listen(_ query: Query) -> (Seen, any ListenerRegistration) {
        let seen = Seen()
        let registration = query.addSnapshotListener(includeMetadataChanges: true) { snapshot, _ in
            guard let snapshot, !snapshot.metadata.isFromCache, !snapshot.metadata.hasPendingWrites
            else { return seen.set(nil) }
            seen.set(snapshot.documents.reduce(0) { $0 + ($1.get("n") as? Int ?? 0) })
        }
        return (seen, registration)
    }

    @Test func `the counts are those of a script of its own over a random run`() async throws {
        let world = try World()
        let machine = try world.machine()
        let (first, second, writer) = (machine.client(), machine.client(), machine.client())
        var random = SeededGenerator(seed: 20_261_123)
        var values: [Int: Int] = [:]
        for number in 0..<5 {
            values[number] = number + 1
            try await writer.document("rooms/\(number)").setData(["n": number + 1])
        }
        // The two hear the first answer: five documents, once for both.
        let (seen, one) = listen(first.collection("rooms"))
        _ = try await eventually {
            seen.value
        } is: {
            $0 == values.values.reduce(0, +)
        }
        let (alsoSeen, other) = listen(second.collection("rooms"))
        _ = try await eventually {
            alsoSeen.value
        } is: {
            $0 == values.values.reduce(0, +)
        }
        var (reads, alone) = (5, 10)
        for step in 1...40 {
            let number = Int.random(in: 0..<12, using: &random)
            if values[number] != nil, Int.random(in: 0..<3, using: &random) == 0 {
                values[number] = nil
                try await writer.document("rooms/\(number)").delete()
            } else {
                values[number] = 1_000 * step
                try await writer.document("rooms/\(number)").setData(["n": 1_000 * step])
                (reads, alone) = (reads + 1, alone + 2)
            }
            let sum = values.values.reduce(0, +)
            _ = try await eventually {
                seen.value
            } is: {
                $0 == sum
            }
            _ = try await eventually {
                alsoSeen.value
            } is: {
                $0 == sum
            }
        }
        // A query without results costs one, and a document by name one.
        let none = try await first.collection("nothing").getDocuments()
        #expect(none.isEmpty)
        (reads, alone) = (reads + 1, alone + 1)
        let ledger = try await first.daemonLedger()
        #expect(ledger.total.billed == reads)
        #expect(ledger.total.alone == alone)
        one.remove()
        other.remove()
        let run = try CommandRun(world, machine, ["ledger", "--by", "query", "--json"])
        #expect(run.status == 0, "\(run.complaints)")
        #expect(
            run.output.contains { $0.contains(#""query":"nothing""#) && $0.contains(#""reads":1"#) }
        )
        // What was counted outlasts the daemon.
        machine.stopDaemon()
        try machine.startDaemon()
        let again = try await machine.client().daemonLedger(by: .day)
        #expect(again.total.billed == reads)
        #expect(again.total.alone == alone)
        let top = try CommandRun(world, machine, ["top", "--count", "1"])
        #expect(top.output.contains { $0.hasPrefix("all ") && $0.hasSuffix(" \(alone - reads)") })
    }

    @Test func `the journal warns before a budget is used up, and reads go on`() async throws {
        let world = try World()
        let path = world.write("[ledger]\nreadBudget = 5\n", to: "hearthd.toml")
        let client = try world.machine("machine", ["--config", path]).client()
        for number in 0..<4 {
            try await client.document("rooms/\(number)").setData(["n": number])
        }
        let rooms = client.collection("rooms")
        #expect(try await rooms.getDocuments(source: .server).count == 4)
        _ = try await eventually {
            world.log("machine")
        } is: {
            $0.contains("budget of reads nearly used up")
        }
        #expect(!world.log("machine").contains("budget of reads used up"))
        for number in 4..<6 {
            try await client.document("rooms/\(number)").setData(["n": number])
        }
        #expect(try await rooms.getDocuments(source: .server).count == 6)
        _ = try await eventually {
            world.log("machine")
        } is: {
            $0.contains("budget of reads used up")
        }
        #expect(try await rooms.getDocuments(source: .server).count == 6)
    }

    @Test func `a program at its budget reads from the cache, until a reload gives it more`()
        async throws
    {
        let world = try World()
        let path = world.write(
            "[ledger]\nreadBudget = 3\nonBudget = \"stop\"\n", to: "hearthd.toml")
        let machine = try world.machine("machine", ["--config", path])
        let client = machine.client()
        for number in 0..<4 {
            try await client.document("rooms/\(number)").setData(["n": number])
        }
        let rooms = client.collection("rooms")
        #expect(try await rooms.getDocuments().count == 4)
        do {
            _ = try await rooms.getDocuments(source: .server)
            Issue.record("The budget did not hold")
        } catch let error as FirestoreError {
            #expect(error.code == .resourceExhausted)
            #expect(error.message.contains("ledger.readBudget"))
        }
        let cached = try await rooms.getDocuments()
        #expect(cached.count == 4)
        #expect(cached.metadata.isFromCache)
        try await client.document("rooms/9").setData(["n": 9])  // The backend takes it.
        let row = try await client.daemonLedger().rows.first { $0.program?.uid != nil }
        #expect(row?.isStopped == true)
        #expect(world.log("machine").contains("budget of reads used up"))
        _ = world.write("[ledger]\nreadBudget = 1000\nonBudget = \"stop\"\n", to: "hearthd.toml")
        #expect(try CommandRun(world, machine, ["reload", "--wait"]).status == 0)
        _ = try await eventually {
            try? await rooms.getDocuments(source: .server).count
        } is: {
            $0 == 5
        }
    }
}

/// What a listener has seen last.
private final class Seen: Sendable {
    private let last = Mutex<Int?>(nil)

    var value: Int? { last.withLock { $0 } }

    func set(_ value: Int?) { last.withLock { $0 = value } }
}
