import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth

/// The states of a database as a daemon tells them, and as an older daemon is asked for them.
@Suite(.timeLimit(.minutes(1)))
struct DaemonStateSequenceTests {
    private func session(
        _ sessions: inout AsyncStream<FakeSession>.Iterator
    ) async throws -> FakeSession {
        let session = try #require(await sessions.next())
        _ = try await session.greet()
        return session
    }

    /// The number under which a session listens to its database's state.
    private func listener(_ session: FakeSession) async throws -> UInt64 {
        let asked = try #require(await session.next())
        #expect(asked.request == .session(.listenToStatus(.database)))
        return asked.number
    }

    private func tell(
        _ session: FakeSession, _ number: UInt64, _ change: (inout StatusReport) -> Void = { _ in }
    ) throws {
        var report = StatusReport(database: .firestore(FakeDaemon.database))
        change(&report)
        try session.send(.report(.status(report)), number)
    }

    /// Answers a look at an older daemon.
    private func answer(
        _ session: FakeSession, _ change: (inout StatusReport) -> Void = { _ in }
    ) async throws {
        let asked = try #require(await session.next())
        #expect(asked.request == .inquiry(.status))
        try tell(session, asked.number, change)
    }

    @Test func `a loop gets the present state, and then each change that the daemon tells`()
        async throws
    {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        var states = firestore.states.makeAsyncIterator()
        async let first = states.next()
        let session = try await session(&sessions)
        let number = try await listener(session)
        try tell(session, number)
        #expect(await first?.connection == .idle)
        let time = HearthModel.Timestamp(seconds: 5, nanoseconds: 0)
        try tell(session, number) {
            $0.onlineState = .offline
            $0.queueBatchCount = 3
            $0.heldBatchCount = 1
            $0.oldestWrittenAt = time
            $0.deadLetterCount = 2
            $0.connectionError = HearthError(code: .unavailable, message: "Nobody is there.")
        }
        let second = await states.next()
        #expect(second?.connection == .offline)
        #expect(second?.waitingBatchCount == 3)
        #expect(second?.heldBatchCount == 1)
        #expect(second?.oldestWrittenAt == Hearth.Timestamp(time))
        #expect(second?.deadLetterCount == 2)
        #expect(second?.lastError == FirestoreError(.unavailable, "Nobody is there."))
        try tell(session, number) { $0.onlineState = .online }
        let third = await states.next()
        #expect(third?.connection == .online)
        #expect(third?.lastError == nil)
    }

    @Test func `counts that the daemon does not know are told as unknown, and are as told last`()
        async throws
    {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        var states = firestore.states.makeAsyncIterator()
        async let first = states.next()
        let session = try await session(&sessions)
        let number = try await listener(session)
        try tell(session, number) {
            $0.queueBatchCount = 3
            $0.deadLetterCount = 2
        }
        let known = try #require(await first)
        #expect(!known.hasUnknownCounts)
        try tell(session, number) { $0.hasUnknownCounts = true }
        let unknown = try #require(await states.next())
        #expect(unknown.hasUnknownCounts)
        #expect(unknown.waitingBatchCount == 3 && unknown.deadLetterCount == 2)
        #expect(unknown.connection == .connecting)
        try tell(session, number) { $0.queueBatchCount = 1 }
        let again = try #require(await states.next())
        #expect(!again.hasUnknownCounts)
        #expect(again.waitingBatchCount == 1 && again.deadLetterCount == 0)
    }

    @Test func `a loop that is slow gets the newest state alone`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        var states = firestore.states.makeAsyncIterator()
        async let first = states.next()
        let session = try await session(&sessions)
        let number = try await listener(session)
        try tell(session, number)
        #expect(await first?.connection == .idle)
        for count in 1...100 { try tell(session, number) { $0.queueBatchCount = count } }
        // The client has read all that came before the answer.
        async let status = firestore.daemonStatus()
        try await answer(session)
        _ = try await status
        #expect(await states.next()?.waitingBatchCount == 100)
    }

    @Test func `a loop that goes ends its listener, and a loop that never began has none`()
        async throws
    {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        _ = firestore.states.makeAsyncIterator()
        let reading = Task {
            for await _ in firestore.states { return }
        }
        let session = try await session(&sessions)
        let number = try await listener(session)
        try tell(session, number)
        await reading.value
        let asked = try #require(await session.next())
        #expect(asked.request == .session(.unlisten))
        #expect(asked.number == number)
    }

    @Test func `a daemon that is started anew is listened to again`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        var states = firestore.states.makeAsyncIterator()
        async let told = states.next()
        let first = try await session(&sessions)
        try tell(first, try await listener(first)) { $0.targetCount = 1 }
        #expect(await told?.connection == .connecting)
        first.close()
        let second = try await session(&sessions)
        let number = try await listener(second)
        try tell(second, number) { $0.targetCount = 1 }  // That is no news.
        try tell(second, number) { $0.onlineState = .online }
        #expect(await states.next()?.connection == .online)
    }

    @Test func `a daemon that is pinged and stands still is unreachable, and is connected to anew`()
        async throws
    {
        let daemon = try FakeDaemon()
        let clock = HandClock()
        let firestore = daemon.firestore(clock: clock)
        var sessions = daemon.sessions.makeAsyncIterator()
        var sequence = firestore.states
        sequence.source.patience = .milliseconds(200)
        var states = sequence.makeAsyncIterator()
        async let first = states.next()
        let still = try await session(&sessions)
        try tell(still, try await listener(still)) { $0.queueBatchCount = 4 }
        #expect(await first?.connection == .connecting)
        clock.move(by: DaemonPulse.quietTimeMax)
        let ping = try #require(await still.next())
        #expect(ping.request == .session(.ping))
        try still.send(.done, ping.number)
        async let status = firestore.daemonStatus()
        try await answer(still)
        _ = try await status  // So the client has heard the answer to the ping too.
        clock.move(by: DaemonPulse.quietTimeMax)
        #expect(await still.next()?.request == .session(.ping))
        clock.move(by: DaemonPulse.answerTimeMax)
        let deaf = try #require(await sessions.next())  // It does not greet.
        let second = await states.next()
        #expect(second?.connection == .unreachable)
        #expect(second?.waitingBatchCount == 4)
        _ = try await deaf.greet()
        try tell(deaf, try await listener(deaf)) { $0.queueBatchCount = 5 }
        var third = await states.next()
        while third?.connection == .starting { third = await states.next() }  // A slow machine.
        #expect(third?.waitingBatchCount == 5)
    }

    @Test func `a daemon that does not come back is unreachable, and keeps the queue it told last`()
        async throws
    {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        var sequence = firestore.states
        sequence.source.patience = .milliseconds(200)
        var states = sequence.makeAsyncIterator()
        async let first = states.next()
        let answering = try await session(&sessions)
        try tell(answering, try await listener(answering)) { $0.queueBatchCount = 4 }
        #expect(await first?.connection == .connecting)
        answering.close()
        let silent = try #require(await sessions.next())
        let second = await states.next()
        #expect(second?.connection == .unreachable)
        #expect(second?.waitingBatchCount == 4)
        #expect(second?.hasUnknownCounts == true)
        #expect(second?.lastError?.code == .unavailable)
        _ = try await silent.greet()  // It tells nothing at first.
        let number = try await listener(silent)
        let third = await states.next()
        #expect(third?.connection == .starting)
        #expect(third?.waitingBatchCount == 4)
        #expect(third?.lastError == nil)
        try tell(silent, number) { $0.queueBatchCount = 5 }
        let fourth = await states.next()
        #expect(fourth?.connection == .connecting)
        #expect(fourth?.waitingBatchCount == 5)
    }

    @Test func `all databases are none while a daemon that answers opens them`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        var sequence = firestore.daemonChanges()
        sequence.source.patience = .milliseconds(50)
        var changes = sequence.makeAsyncIterator()
        async let first = changes.next()
        _ = try await session(&sessions)
        #expect(await first == .success([]))
    }

    @Test func `the states end with the task and with the database`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        let cancelled = Task {
            var states = firestore.states.makeAsyncIterator()
            return await states.next()
        }
        let session = try await session(&sessions)
        _ = try await listener(session)
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        let ended = Task {
            var states = firestore.states.makeAsyncIterator()
            return await states.next()
        }
        while let request = await session.next()?.request {
            if case .session(.listenToStatus) = request { break }
        }
        try await firestore.terminate()
        #expect(await ended.value == nil)
        var after = firestore.states.makeAsyncIterator()
        #expect(await after.next() == nil)
    }

    @Test func `an instance of the Realtime Database tells the same`() async throws {
        let daemon = try FakeDaemon(FakeDaemon.instance)
        let database = daemon.realtime()
        var sessions = daemon.sessions.makeAsyncIterator()
        var states = database.states.makeAsyncIterator()
        async let first = states.next()
        let session = try await session(&sessions)
        try tell(session, try await listener(session)) { $0.onlineState = .online }
        #expect(await first?.connection == .online)
    }

    @Test func `an older daemon, which knows no such listener, is asked`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        let seen = Task {
            var seen: [DaemonState.Connection] = []
            for await state in firestore.states(every: .zero) {
                seen.append(state.connection)
                if seen.count == 3 { break }
            }
            return seen
        }
        let session = try await session(&sessions)
        let number = try await listener(session)
        try session.send(
            .failed(HearthError(code: .unimplemented, message: "No such kind.")), number)
        for _ in 0..<3 { try await answer(session) }
        try await answer(session) { $0.onlineState = .offline }
        try await answer(session) { $0.onlineState = .online }
        #expect(await seen.value == [.idle, .offline, .online])
    }

    @Test func `all databases are told with what a status has, and what fails is told`()
        async throws
    {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        var changes = firestore.daemonChanges().makeAsyncIterator()
        async let first = changes.next()
        let session = try await session(&sessions)
        let asked = try #require(await session.next())
        #expect(asked.request == .session(.listenToStatus(.allDatabases)))
        var inspection = Inspection()
        for name in ["(default)", "other"] {
            var report = StatusReport(
                database: .firestore(DatabaseID(project: "demo", database: name)))
            report.clientCount = 2
            inspection.databases.append(report)
        }
        try session.send(.report(.inspection(inspection)), asked.number)
        let databases = try #require(try await first?.get())
        #expect(databases.map(\.databaseID) == ["(default)", "other"])
        #expect(databases.map(\.clientCount) == [2, 2])
        try session.send(
            .failed(HearthError(code: .resourceExhausted, message: "Too many.")), asked.number)
        #expect(await changes.next() == .failure(FirestoreError(.resourceExhausted, "Too many.")))
    }
}
