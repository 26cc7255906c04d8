import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth

/// What operators ask and order of an instance of the Realtime Database.
struct DatabaseOperatorTests {
    private static let writer = Writer(uid: 7, gid: 8, pid: 9, unit: "lamps.service")

    private func batch(_ change: RealtimeChange?) -> QueuePage.Batch {
        QueuePage.Batch(
            id: BatchID(5), state: .held,
            writtenAt: HearthModel.Timestamp(seconds: 1, nanoseconds: 0),
            byteCount: 30, writer: Self.writer,
            content: .places(change?.parts.map(\.place) ?? [WritePath(.root)], change))
    }

    /// Answers what the database asks next, and returns the request.
    private func answer(_ session: FakeSession, _ event: Event) async throws -> Request {
        let asked = try #require(await session.next())
        try session.send(event, asked.number)
        return asked.request
    }

    private func greeted(_ daemon: FakeDaemon) async throws -> FakeSession {
        var sessions = daemon.sessions.makeAsyncIterator()
        let session = try #require(await sessions.next())
        _ = try await session.greet()
        return session
    }

    @Test func `a batch of an instance is shown with its places, and edited by them`() async throws
    {
        let daemon = try FakeDaemon(FakeDaemon.instance)
        let database = daemon.realtime()
        let change = RealtimeChange.update(
            try #require(RealtimePath("rooms")),
            [
                .init(try #require(WritePath("hall/seen")), UnresolvedNode(.timestamp)),
                .init(
                    try #require(WritePath("yard")),
                    UnresolvedNode(try Node(json: #"{".value":true,".priority":3}"#))),
            ])
        let page = Report.queue(QueuePage(batches: [batch(change)], hasMore: false))
        async let shown = database.pendingBatch(5)
        let session = try await greeted(daemon)
        let inquiry = try await answer(session, .report(page))
        let wanted = Inquiry.BatchPage(after: BatchID(4), batchCountMax: 1, withWrites: true)
        #expect(inquiry == .inquiry(.queue(wanted)))
        let (told, writes) = try await shown
        #expect(told.documentPaths == ["/rooms/hall/seen", "/rooms/yard"])
        #expect(told.state == .held)
        #expect(writes.map(\.path) == told.documentPaths)
        #expect((writes[0].value as? [String: any Sendable])?[".sv"] as? String == "timestamp")
        #expect((writes[1].value as? [String: any Sendable])?[".priority"] as? Int == 3)

        async let edited: Void = database.editPendingBatch(5, writes: writes)
        let order = try await answer(session, .queueSteered([SteeredBatch(BatchID(5))]))
        guard case .administration(.steerRealtimeQueue(.edit(BatchID(5), let new))) = order else {
            Issue.record("no edit: \(order)")
            return
        }
        #expect(new.parts == change.parts)
        try await edited
    }

    @Test func `one place is set, and what cannot be written is refused before the daemon`()
        throws
    {
        let root = Hearth.Database(settings: DatabaseSettings(url: "https://demo.firebaseio.com"))
            .reference()
        func change(_ writes: PendingNodeWrite...) throws -> RealtimeChange {
            try PendingNodeWrite.change(of: writes, in: root)
        }
        #expect(
            try change(.init(path: "/", value: nil)) == .set(WritePath(.root), .init(Node.empty)))
        #expect(
            try change(.init(path: "/a/.priority", value: 2))
                == .set(try #require(WritePath("a/.priority")), .init(Node(.integer(2)))))
        for writes in [
            [], [PendingNodeWrite(path: "a#", value: 1)],
            [PendingNodeWrite(path: ".info/connected", value: true)],
            [PendingNodeWrite(path: "a", value: 1), PendingNodeWrite(path: "a/b", value: 1)],
            [PendingNodeWrite(path: "a", value: 1), PendingNodeWrite(path: "a", value: 2)],
        ] {
            #expect(throws: DatabaseError.self) {
                try PendingNodeWrite.change(of: writes, in: root)
            }
        }
    }

    @Test func `an instance tells its dead letters, its state and every open database`()
        async throws
    {
        let daemon = try FakeDaemon(FakeDaemon.instance)
        let database = daemon.realtime()
        async let letters = database.deadLetters()
        let session = try await greeted(daemon)
        let letter = DeadLetterPage.Letter(
            batch: batch(nil), error: HearthError(code: .permissionDenied, message: "No."),
            rejectedAt: HearthModel.Timestamp(seconds: 2, nanoseconds: 0), mayHaveBeenApplied: false
        )
        let page = DeadLetterPage(letters: [letter], hasMore: false)
        #expect(
            try await answer(session, .report(.deadLetters(page)))
                == .inquiry(.deadLetters(.init())))
        let told = try await letters
        #expect(told.letters.map(\.error.code) == [.permissionDenied])

        var own = StatusReport(database: FakeDaemon.instance)
        own.queueBatchCount = 3
        async let status = database.daemonStatus()
        #expect(try await answer(session, .report(.status(own))) == .inquiry(.status))
        let state = try await status
        #expect(state.instanceURL == "https://demo-default-rtdb.firebaseio.com")
        #expect(state.queueBatchCount == 3)

        var all = Inspection()
        all.databases = [StatusReport(database: .firestore(FakeDaemon.database)), own]
        async let databases = database.daemonDatabases()
        #expect(
            try await answer(session, .report(.inspection(all)))
                == .inquiry(.inspection(.databases)))
        let open = try await databases
        #expect(open.map(\.instanceURL) == [nil, state.instanceURL])
    }

    @Test func `who looks for a batch that is gone hears what became of it`() async throws {
        let daemon = try FakeDaemon(FakeDaemon.instance)
        let database = daemon.realtime()
        let shown = Task { try await database.deadLetter(7) }
        let session = try await greeted(daemon)
        let wanted = Inquiry.BatchPage(
            after: BatchID(6), batchCountMax: 1, withWrites: true, withFate: true)
        let rejected = BatchFate(
            .rejected(
                HearthError(code: .permissionDenied, message: "Not yours."),
                mayHaveBeenApplied: false),
            notedAt: HearthModel.Timestamp(seconds: 40, nanoseconds: 0))
        let asked = try await answer(
            session,
            .report(.deadLetters(DeadLetterPage(letters: [], hasMore: false, fate: rejected))))
        #expect(asked == .inquiry(.deadLetters(wanted)))
        let error = await #expect(throws: DatabaseError.self) { _ = try await shown.value }
        #expect(error?.code == .notFound)
        let told = "was rejected after 1970-01-01T00:00:40Z with PERMISSION_DENIED: Not yours."
        #expect(error?.message.contains(told) == true)
        #expect(error?.message.contains("was told") == true)
    }

    @Test func `an instance can be asked for by its name alone`() {
        #expect(DatabaseSettings(instanceName: "Other-rtdb").choice == .named("other-rtdb"))
        #expect(DatabaseSettings().choice == .standard)
        let url = "https://a-b.firebaseio.com"
        let both = DatabaseSettings(url: url, instanceName: "other")
        #expect(both.choice == InstanceID(url: url).map { .exactly($0) })
    }

    @Test func `orders of an instance fail with the Realtime Database's error`() async throws {
        let daemon = try FakeDaemon(FakeDaemon.instance)
        let database = daemon.realtime()
        let held = Task { try await database.holdPendingBatches([1, 2]) }
        let session = try await greeted(daemon)
        let error = HearthError(code: .notFound, message: "No batch 2 waits.")
        #expect(
            try await answer(session, .failed(error))
                == .administration(.steerRealtimeQueue(.hold([BatchID(1), BatchID(2)]))))
        await #expect(throws: DatabaseError(.notFound, "No batch 2 waits.")) {
            try await held.value
        }
        await #expect(throws: DatabaseError.self) {
            try await database.editPendingBatch(1, writes: [])
        }
    }
}
