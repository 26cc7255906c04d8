import HearthEngine
import HearthModel
import HearthTestSupport
import HearthWire
import Testing

@testable import Hearth

struct ClientTests {
    private func session(of daemon: FakeDaemon) async throws -> FakeSession {
        var iterator = daemon.sessions.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    @Test func `a document is read`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        async let reading = firestore.document("rooms/hall").getDocument(source: .cache)
        let session = try await session(of: daemon)
        #expect(try await session.greet()?.program == "test")
        let asked = try #require(await session.next())
        let key = try DocumentKey(parsing: "rooms/hall")
        #expect(asked.request == .firestore(.get(HearthModel.Query(document: key), .cache)))
        try session.send(
            .answer(
                try Events.snapshot(
                    1, [try Events.listed("rooms/hall", ["n": .integer(4)], isPending: true)],
                    isFromCache: true, isPending: true)), asked.number)
        let snapshot = try await reading
        #expect(snapshot.exists)
        #expect(snapshot["n"] as? Int == 4)
        #expect(snapshot.metadata == SnapshotMetadata(hasPendingWrites: true, isFromCache: true))
    }

    @Test func `the daemon is told once what was read from the cache for a minute`() async throws {
        let daemon = try FakeDaemon()
        let clock = HandClock()
        let firestore = daemon.firestore(clock: clock)
        let hall = firestore.document("rooms/hall")
        let key = try DocumentKey(parsing: "rooms/hall")
        let reading = Task { try await hall.getDocument(source: .cache) }
        let session = try await session(of: daemon)
        _ = try await session.greet()
        let asked = try #require(await session.next())
        try session.send(
            .answer(try Events.snapshot(1, [try Events.listed("rooms/hall", [:])])), asked.number)
        _ = try await reading.value
        clock.move(by: SharedReadLimits.notePause)
        #expect(await session.next()?.request == .firestore(.noteReads([key])))
        // Nothing more is told of the same read.
        async let other = hall.getDocument(source: .server)
        let next = try #require(await session.next())
        #expect(next.request == .firestore(.get(HearthModel.Query(document: key), .server)))
        try session.send(
            .answer(try Events.snapshot(2, [try Events.listed("rooms/hall", [:])])), next.number)
        #expect(try await other.exists)
    }

    @Test func `an error of the daemon reaches the caller`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        let reading = Task {
            try await firestore.document("rooms/hall").getDocument(source: .server)
        }
        let session = try await session(of: daemon)
        _ = try await session.greet()
        let asked = try #require(await session.next())
        try session.send(
            .failed(HearthError(code: .unavailable, message: "Offline.")), asked.number)
        await #expect(throws: FirestoreError(.unavailable, "Offline.")) {
            try await reading.value
        }
    }

    @Test func `a write is accepted, and committed later`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        async let writing = firestore.document("rooms/hall").setData(["n": 1], until: .accepted)
        let session = try await session(of: daemon)
        _ = try await session.greet()
        let asked = try #require(await session.next())
        try session.send(Events.accepted(1), asked.number)
        let receipt = try await writing
        #expect(try await receipt.accepted() == 1)
        try session.send(Events.committed(1), asked.number)
        let commit = try await receipt.committed()
        #expect(commit.commitTime == Hearth.Timestamp(seconds: 9, nanoseconds: 0))
    }

    @Test func `after a lost connection the same write goes to the next daemon`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        async let writing = firestore.document("rooms/hall").setData(["n": 1])
        let first = try await session(of: daemon)
        let hello = try await first.greet()
        let asked = try #require(await first.next())
        first.close()
        let second = try await session(of: daemon)
        #expect(try await second.greet()?.client == hello?.client)
        let again = try #require(await second.next())
        #expect(again.request == asked.request)
        try second.send(Events.accepted(1), again.number)
        try second.send(Events.committed(1), again.number)
        _ = try await writing
    }

    @Test func `a listener sees a restart of the daemon only by what changed`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var rooms = firestore.collection("rooms").snapshots.makeAsyncIterator()
        let first = try await session(of: daemon)
        _ = try await first.greet()
        let asked = try #require(await first.next())
        let attic = try Events.listed("rooms/attic", [:])
        let hall = try Events.listed("rooms/hall", [:])
        try first.send(.snapshot(try Events.snapshot(4, [attic])), asked.number)
        let one = try #require(try await rooms.next())
        #expect(one.documentChanges.map(\.document.documentID) == ["attic"])
        first.close()

        let second = try await session(of: daemon)
        _ = try await second.greet()
        let again = try #require(await second.next())
        #expect(again.request == asked.request)
        try second.send(.snapshot(try Events.snapshot(1, [attic])), again.number)
        try second.send(.snapshot(try Events.snapshot(2, base: 1, [hall])), again.number)
        let two = try #require(try await rooms.next())
        #expect(two.documentChanges.map(\.document.documentID) == ["hall"])
        #expect(two.count == 2)
    }

    @Test func `a slow reader skips states and loses no change`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        let sequence = firestore.collection("rooms").snapshots
        var rooms = sequence.makeAsyncIterator()
        let session = try await session(of: daemon)
        _ = try await session.greet()
        let asked = try #require(await session.next())
        try session.send(.snapshot(try Events.snapshot(1)), asked.number)
        #expect(try await rooms.next()?.isEmpty == true)
        for number in UInt64(2)...20 {
            let room = try Events.listed("rooms/\(number)", [:])
            try session.send(
                .snapshot(try Events.snapshot(number, base: number - 1, [room])), asked.number)
        }
        // A read comes back after these requests, as one connection keeps its order.
        async let status = firestore.daemonStatus()
        let last = try #require(await session.next())
        try session.send(
            .report(.status(StatusReport(database: .firestore(FakeDaemon.database)))), last.number)
        _ = try await status
        let snapshot = try #require(try await rooms.next())
        #expect(snapshot.count == 19)
        #expect(snapshot.documentChanges.count == 19)
    }

    @Test func `a closure is called for each change until the listener is removed`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        let (names, continuation) = AsyncStream.makeStream(of: String.self)
        let registration = firestore.document("rooms/hall").addSnapshotListener { snapshot, _ in
            continuation.yield("\(snapshot?["n"] ?? "none")")
        }
        var iterator = names.makeAsyncIterator()
        let session = try await session(of: daemon)
        _ = try await session.greet()
        let asked = try #require(await session.next())
        try session.send(.snapshot(try Events.snapshot(1)), asked.number)
        #expect(await iterator.next() == "none")
        let hall = try Events.listed("rooms/hall", ["n": .integer(3)])
        try session.send(.snapshot(try Events.snapshot(2, base: 1, [hall])), asked.number)
        #expect(await iterator.next() == "3")
        registration.remove()
        let end = try #require(await session.next())
        #expect(end.request == .session(.unlisten))
        #expect(end.number == asked.number)
    }

    @Test func `a loop that is cancelled ends, and its listener with it`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        let loop = Task {
            var count = 0
            for try await _ in firestore.collection("rooms").snapshots { count += 1 }
            return count
        }
        let session = try await session(of: daemon)
        _ = try await session.greet()
        let asked = try #require(await session.next())
        loop.cancel()
        let end = try #require(await session.next())
        #expect(end.request == .session(.unlisten))
        #expect(end.number == asked.number)
        #expect(try await loop.value == 0)
    }

    @Test func `a read whose task is cancelled ends`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        let reading = Task { try await firestore.collection("rooms").getDocuments() }
        let session = try await session(of: daemon)
        _ = try await session.greet()
        _ = await session.next()
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func `without a daemon a request fails by its deadline and says where it looked`() async {
        let firestore = Firestore(
            settings: FirestoreSettings(socketPath: "/nowhere/hearth.sock", connectTimeout: .zero))
        await #expect {
            try await firestore.document("a/b").setData([:])
        } throws: { error in
            guard let error = error as? FirestoreError else { return false }
            return error.code == .unavailable && error.message.contains("/nowhere/hearth.sock")
        }
    }

    @Test func `every request to a daemon that does not greet fails by its deadline`() async throws
    {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore(connectTimeout: .milliseconds(50))
        // The second one begins while the connection stands and the client's thread has nothing to wait for.
        for _ in 1...2 {
            await #expect {
                _ = try await firestore.daemonStatus()
            } throws: { error in
                guard let error = error as? FirestoreError else { return false }
                return error.code == .unavailable && error.message.contains("does not greet")
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a daemon without room for another connection is not waited for`() async throws {
        let daemon = try DeafSocket()
        let firestore = Firestore(
            settings: FirestoreSettings(socketPath: daemon.path, connectTimeout: .milliseconds(50)))
        await #expect(throws: FirestoreError.self) { _ = try await firestore.daemonStatus() }
    }

    @Test func `a daemon that talks nonsense is left and tried again`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        async let status = firestore.daemonStatus()
        let first = try await session(of: daemon)
        first.send(bytes: [UInt8](repeating: 0xFF, count: 64))
        let second = try await session(of: daemon)
        _ = try await second.greet()
        let asked = try #require(await second.next())
        var report = StatusReport(database: .firestore(FakeDaemon.database))
        report.queueBatchCount = 3
        try second.send(.report(.status(report)), asked.number)
        #expect(try await status.queueBatchCount == 3)
    }

    @Test func `a great write goes out whole through a small socket`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        let bytes = [UInt8](repeating: 7, count: 4_000_000)
        async let writing = firestore.document("a/b").setData(["bytes": bytes], until: .accepted)
        let session = try await session(of: daemon)
        _ = try await session.greet()
        let asked = try #require(await session.next())
        guard case .firestore(.write(let write)) = asked.request else {
            Issue.record("No write came")
            return
        }
        #expect(write.mutations.first?.kind == .set(["bytes": .bytes(bytes)]))
        try session.send(Events.accepted(1), asked.number)
        _ = try await writing
    }

    @Test func `a batch that was committed stops the program if it gets another write`() async {
        await #expect(processExitsWith: .failure) {
            let firestore = Firestore(settings: FirestoreSettings(socketPath: "/nowhere"))
            let batch = firestore.batch()
            batch.commit(completion: nil)
            batch.deleteDocument(firestore.document("rooms/hall"))
        }
    }

    @Test func `a batch goes as one write, and only once`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        let batch = firestore.batch()
            .setData(["n": 1], forDocument: firestore.document("a/1"))
            .updateData(["n": 2], forDocument: firestore.document("a/2"))
            .deleteDocument(firestore.document("a/3"))
        async let committing = batch.commit(until: .accepted)
        let session = try await session(of: daemon)
        _ = try await session.greet()
        let asked = try #require(await session.next())
        guard case .firestore(.write(let write)) = asked.request else {
            Issue.record("No write came")
            return
        }
        #expect(write.mutations.map(\.key.description) == ["a/1", "a/2", "a/3"])
        try session.send(Events.accepted(1), asked.number)
        _ = try await committing
        await #expect(throws: FirestoreError.self) { try await batch.commit() }
    }

    @Test func `terminating fails what is under way`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        let reading = Task { try await firestore.collection("rooms").getDocuments() }
        let session = try await session(of: daemon)
        _ = try await session.greet()
        _ = await session.next()
        try await firestore.terminate()
        await #expect {
            try await reading.value
        } throws: { error in
            (error as? FirestoreError)?.code == .cancelled
        }
        await #expect(throws: FirestoreError.self) { try await firestore.daemonStatus() }
    }
}
