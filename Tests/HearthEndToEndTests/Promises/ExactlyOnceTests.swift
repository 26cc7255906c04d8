import Glibc
import Hearth
import HearthTestSupport
import Testing

/// Increments over cut links and kills, with a backend that applies what was on the way up to five
/// seconds after the cut.
///
/// `HEARTH_INCREMENTS` says how many there are (300 if unset); 10,000 take some minutes.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct ExactlyOnceTests {
    private static let count =
        getenv("HEARTH_INCREMENTS").flatMap { Int(String(cString: $0)) } ?? 300
    private static let marks = ["--queue.exactlyOnce", "hearth/marks/batches"]
    /// How many increments may wait for the backend. Each answer takes time in proportion to the writes
    /// that wait for one document.
    private static let waitingCountMax = 400

    @Test func `increments over cut links and kills add up, of two daemons of one user`()
        async throws
    {
        let world = try World()
        let machines = try ["one", "two"].map { try world.machine($0, Self.marks) }
        let clients = machines.map { $0.client() }
        var random = SeededGenerator(seed: 14)
        var receipts: [WriteReceipt] = []
        for number in 1...Self.count {
            let place = number % 2
            let client = clients[place]
            if receipts.count >= Self.waitingCountMax {
                try await receipts[receipts.count - Self.waitingCountMax].committed()
            }
            receipts.append(
                try await client.document("logs/sum").setData(
                    ["n": FieldValue.increment(Int64(1))], merge: true, until: .accepted))
            switch Int.random(in: 0..<60, using: &random) {
            case 0:
                machines[place].killDaemon()
                try machines[place].startDaemon()
            case 1:
                world.killEmulator()
                try world.startEmulator(["--fault", "Write:applyLate=5000ms*3"])
            case 2:
                world.killEmulator()
                try world.startEmulator(["--fault", "Write:cutStream=1*2"])
            default: break
            }
        }
        for receipt in receipts { try await receipt.committed() }
        #expect(receipts.count == Self.count)
        let sum = try await clients[0].document("logs/sum").getDocument(source: .server)
        #expect(sum["n"] as? Int == Self.count)
        for client in clients { #expect(try await client.deadLetters().letters.isEmpty) }
    }

    /// The late copy lands when all is long answered, and fails over the marker.
    @Test func `a copy that lands after the second one was answered counts for nothing`()
        async throws
    {
        let world = try World(emulatorFlags: ["--fault", "Write:applyLate=1500ms"])
        let client = try world.machine("one", Self.marks).client()
        let sum = client.document("logs/sum")
        try await sum.setData(["n": FieldValue.increment(Int64(1))], merge: true)
        try await expectForTwoSeconds {
            try await sum.getDocument(source: .server)["n"] as? Int == 1
        }
    }

    /// Both copies land when both are long answered: the set's must not undo the increment.
    @Test func `a late copy of a set does not undo what was written behind it`() async throws {
        let world = try World(isOnline: false)
        let client = try world.machine("one", Self.marks).client()
        let hall = client.document("rooms/hall")
        let writes: [[String: any Sendable]] = [
            ["seats": 40], ["seats": FieldValue.increment(Int64(2))],
        ]
        var receipts: [WriteReceipt] = []
        for fields in writes {
            receipts.append(try await hall.setData(fields, merge: true, until: .accepted))
        }
        try world.startEmulator(["--fault", "Write:applyLate=1500ms*2"])
        for receipt in receipts { try await receipt.committed() }
        try await expectForTwoSeconds {
            try await hall.getDocument(source: .server)["seats"] as? Int == 42
        }
        #expect(try await client.deadLetters().letters.isEmpty)
    }

    /// Of the batches on the way when the daemon dies some are applied, and none of the answers is known.
    @Test func `a set, an update and an increment of each document hold through kills`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine("one", Self.marks)
        let client = machine.client()
        let rooms = (0..<20).map { client.document("rooms/\($0)") }
        var receipts: [WriteReceipt] = []
        for room in rooms {
            receipts += [
                try await room.setData(["seats": 40, "name": "set"], until: .accepted),
                try await room.updateData(["name": "updated"], until: .accepted),
                try await room.setData(
                    ["seats": FieldValue.increment(Int64(2))], merge: true, until: .accepted),
            ]
        }
        try world.startEmulator()
        for number in stride(from: 2, to: receipts.count, by: 7) {
            try await receipts[number].committed()
            machine.killDaemon()
            try machine.startDaemon()
        }
        for receipt in receipts { try await receipt.committed() }
        for room in rooms {
            let found = try await room.getDocument(source: .server)
            #expect(found["seats"] as? Int == 42)
            #expect(found["name"] as? String == "updated")
        }
        #expect(try await client.deadLetters().letters.isEmpty)
    }

    @Test func `rules that refuse marks are told in the status, and writes go on`() async throws {
        let rules = """
            service cloud.firestore {
              match /databases/{database}/documents {
                match /logs/{log} { allow read, write; }
              }
            }
            """
        let world = try World(rules: rules)
        let client = try world.machine("one", Self.marks + ["--upstream.user", "ann"]).client()
        try await client.document("logs/sum").setData(
            ["n": FieldValue.increment(Int64(1))], merge: true)
        let status = try await client.daemonStatus()
        #expect(status.degradedReasons.contains { $0.contains("queue.exactlyOnce") })
    }

    @Test func `without a mark, what is in doubt can be put aside`() async throws {
        let world = try World(isOnline: false)
        let client = try world.machine("one", ["--queue.inDoubt", "deadLetter"]).client()
        let sum = client.document("logs/sum")
        let receipt = try await sum.setData(
            ["n": FieldValue.increment(Int64(1))], merge: true, until: .accepted)
        try world.startEmulator(["--fault", "Write:cutStream=1"])
        let error = await #expect(throws: FirestoreError.self) { try await receipt.committed() }
        #expect(error?.code == .unknown)
        #expect(error?.mayHaveBeenApplied == true)
        #expect(try await sum.getDocument(source: .server)["n"] as? Int == 1)
    }

    private func expectForTwoSeconds(
        at place: SourceLocation = #_sourceLocation, _ holds: () async throws -> Bool
    ) async throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(2)
        while clock.now < end { #expect(try await holds(), sourceLocation: place) }
    }
}
