import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// Transactions from programs through the daemon to the backend and back.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TransactionTests {
    private func code(of body: () async throws -> Void) async -> FirestoreErrorCode? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? FirestoreError)?.code
        }
    }

    /// A program whose daemon has reached its backend, even if the backend has started only now.
    private func online(_ machine: Machine) async throws -> Firestore {
        let client = machine.client()
        try await client.document("logs/ready").setData(["isReady": true])
        return client
    }

    /// Adds one to a document's number, in a transaction.
    @discardableResult
    private func add(_ client: Firestore, attempts: Int = 5) async throws -> Int {
        try await client.runTransaction(with: TransactionOptions(maxAttempts: attempts)) {
            transaction in
            let sum = client.document("logs/sum")
            let number = try await transaction.getDocument(sum)["n"] as? Int ?? 0
            transaction.setData(["n": number + 1], forDocument: sum)
            return number + 1
        }
    }

    @Test func `what a transaction writes shows in listeners by the watch stream`() async throws {
        let world = try World()
        let machine = try world.machine()
        let (writer, reader) = (machine.client(), machine.client())
        var sums = reader.document("logs/sum").snapshots(includeMetadataChanges: true)
            .makeAsyncIterator()
        _ = try await sums.first { !$0.metadata.isFromCache }
        #expect(try await add(writer) == 1)
        #expect(try await add(writer) == 2)
        let shown = try await sums.first { $0["n"] as? Int == 2 }
        #expect(!shown.metadata.hasPendingWrites)
        #expect(try await writer.pendingBatches().batches.isEmpty)
    }

    @Test func `programs that count at the same time lose nothing`() async throws {
        let world = try World()
        let machine = try world.machine()
        _ = try await online(machine)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                let client = machine.client()
                group.addTask { for _ in 0..<4 { try await add(client, attempts: 40) } }
            }
            try await group.waitForAll()
        }
        let sum = try await machine.client().document("logs/sum").getDocument(source: .server)
        #expect(sum["n"] as? Int == 12)
    }

    @Test func `a transaction whose reading has changed is run again, up to its attempts`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let (client, rival) = (machine.client(), machine.client())
        try await rival.document("logs/sum").setData(["n": 0])
        let runs = Mutex(0)
        func meet(_ disturbances: Int, attempts: Int) async throws {
            runs.withLock { $0 = 0 }
            try await client.runTransaction(with: TransactionOptions(maxAttempts: attempts)) {
                transaction in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                // Only read, so only verified.
                _ = try await transaction.getDocument(client.document("logs/sum"))
                if run <= disturbances {
                    try await rival.document("logs/sum").updateData([
                        "n": FieldValue.increment(Int64(1))
                    ])
                }
                transaction.setData(["run": run], forDocument: client.document("logs/run"))
            }
        }
        try await meet(1, attempts: 2)
        #expect(runs.withLock { $0 } == 2)
        let run = try await client.document("logs/run").getDocument(source: .server)
        #expect(run["run"] as? Int == 2)
        let failure = await code { try await meet(9, attempts: 2) }
        #expect(failure == .failedPrecondition || failure == .aborted)
        #expect(runs.withLock { $0 } == 2)
    }

    @Test func `offline a transaction fails at once and says what it needs`() async throws {
        let world = try World()
        let client = try await online(world.machine())
        try await client.disableNetwork()
        let error = await #expect(throws: FirestoreError.self) { try await add(client) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("needs the backend") == true)
        #expect(error?.mayHaveBeenApplied == false)
        try await client.enableNetwork()
        #expect(try await add(client) == 1)
    }

    @Test func `reads after writes, and updates of what is missing, are refused without a retry`()
        async throws
    {
        let world = try World()
        let client = try await online(world.machine())
        let hall = client.document("rooms/hall")
        let runs = Mutex(0)
        let late = await code {
            try await client.runTransaction { transaction in
                runs.withLock { $0 += 1 }
                transaction.setData(["a": 1], forDocument: hall)
                _ = try await transaction.getDocument(hall)
            }
        }
        #expect(late == .invalidArgument)
        let missing = await code {
            try await client.runTransaction { transaction in
                runs.withLock { $0 += 1 }
                _ = try await transaction.getDocument(hall)
                transaction.updateData(["a": 1], forDocument: hall)
            }
        }
        #expect(missing == .invalidArgument)
        let blind = await code {
            try await client.runTransaction { transaction in
                runs.withLock { $0 += 1 }
                transaction.updateData(["a": 1], forDocument: hall)
            }
        }
        #expect(blind == .notFound)
        #expect(runs.withLock { $0 } == 3)
    }

    @Test func `a daemon that dies in the middle leaves nothing behind, and the program goes on`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let client = try await online(machine)
        let runs = Mutex(0)
        try await client.runTransaction { transaction in
            let first = runs.withLock { runs in
                runs += 1
                return runs == 1
            }
            let sum = client.document("logs/sum")
            let number = try await transaction.getDocument(sum)["n"] as? Int ?? 0
            if first {
                machine.killDaemon()
                try machine.startDaemon()
                // A commit that met the dying connection would be in doubt.
                _ = try await client.daemonStatus()
            }
            transaction.setData(["n": number + 1], forDocument: sum)
        }
        let sum = try await client.document("logs/sum").getDocument(source: .server)
        #expect(sum["n"] as? Int == 1)
        #expect(runs.withLock { $0 } == 1)
        #expect(try await client.pendingBatches().batches.isEmpty)
    }

    @Test func `a function without async reads and writes too`() async throws {
        let world = try World()
        let client = try await online(world.machine())
        try await client.document("rooms/hall").setData(["lights": 2])
        let lights = try await withCheckedThrowingContinuation { continuation in
            client.runTransaction { transaction in
                let hall = client.document("rooms/hall")
                let lights = try transaction.getDocument(hall)["lights"] as? Int ?? 0
                transaction.updateData(["lights": lights + 1], forDocument: hall)
                return lights + 1
            } completion: { lights, error in
                continuation.resume(
                    with: Result { try #require(lights, "\(String(describing: error))") })
            }
        }
        #expect(lights == 3)
    }
}
