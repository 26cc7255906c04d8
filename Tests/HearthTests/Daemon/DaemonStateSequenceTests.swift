import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth

struct DaemonStateSequenceTests {
    private func session(
        _ sessions: inout AsyncStream<FakeSession>.Iterator
    ) async throws -> FakeSession {
        let session = try #require(await sessions.next())
        _ = try await session.greet()
        return session
    }

    /// Answers a look.
    private func answer(
        _ session: FakeSession, _ change: (inout StatusReport) -> Void = { _ in }
    ) async throws {
        let asked = try #require(await session.next())
        #expect(asked.request == .inquiry(.status))
        var report = StatusReport(database: .firestore(FakeDaemon.database))
        change(&report)
        try session.send(.report(.status(report)), asked.number)
    }

    @Test func `a loop gets the present state, and then each change once`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        let seen = Task {
            var seen: [DaemonState] = []
            for await state in firestore.states(every: .zero) {
                seen.append(state)
                if seen.count == 3 { break }
            }
            return seen
        }
        let session = try await session(&sessions)
        try await answer(session)
        for _ in 0..<3 { try await answer(session) }
        let time = HearthModel.Timestamp(seconds: 5, nanoseconds: 0)
        try await answer(session) {
            $0.onlineState = .offline
            $0.queueBatchCount = 3
            $0.heldBatchCount = 1
            $0.oldestWrittenAt = time
            $0.deadLetterCount = 2
            $0.connectionError = HearthError(code: .unavailable, message: "Nobody is there.")
        }
        try await answer(session) { $0.onlineState = .online }
        let states = await seen.value
        #expect(states.map(\.connection) == [.idle, .offline, .online])
        #expect(states[1].waitingBatchCount == 3)
        #expect(states[1].heldBatchCount == 1)
        #expect(states[1].oldestWrittenAt == Hearth.Timestamp(time))
        #expect(states[1].deadLetterCount == 2)
        #expect(states[1].lastError == FirestoreError(.unavailable, "Nobody is there."))
        #expect(states[2].lastError == nil)
    }

    @Test func `a loop that is slow gets the newest state alone`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        var states = firestore.states(every: .zero).makeAsyncIterator()
        async let first = states.next()
        let session = try await session(&sessions)
        try await answer(session)
        #expect(await first?.connection == .idle)
        // Whatever happens now, nobody asks; the next look sees its end.
        async let second = states.next()
        try await answer(session) { $0.isNetworkEnabled = false }
        #expect(await second?.connection == .networkOff)
    }

    @Test func `a daemon that is started anew goes on telling`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        let seen = Task {
            var states = firestore.states(every: .zero).makeAsyncIterator()
            return [await states.next(), await states.next()].map { $0?.connection }
        }
        let first = try await session(&sessions)
        try await answer(first) { $0.targetCount = 1 }
        // The next look is under way, and its answer never comes.
        _ = try #require(await first.next())
        first.close()
        let second = try await session(&sessions)
        try await answer(second) { $0.onlineState = .online }
        #expect(await seen.value == [.connecting, .online])
    }

    @Test func `a daemon that does not answer is unreachable, and keeps the queue it told last`()
        async throws
    {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        var sequence = firestore.states(every: .zero)
        sequence.patience = .milliseconds(200)
        let seen = Task { [sequence] in
            var states = sequence.makeAsyncIterator()
            return [await states.next(), await states.next()]
        }
        let session = try await session(&sessions)
        try await answer(session) { $0.queueBatchCount = 4 }
        let states = await seen.value
        #expect(states[1]?.connection == .unreachable)
        #expect(states[1]?.waitingBatchCount == 4)
        #expect(states[1]?.lastError?.code == .unavailable)
    }

    @Test func `the states end with the task and with the database`() async throws {
        let daemon = try FakeDaemon()
        let firestore = daemon.firestore()
        var sessions = daemon.sessions.makeAsyncIterator()
        let cancelled = Task {
            var states = firestore.states(every: .zero).makeAsyncIterator()
            return await states.next()
        }
        let session = try await session(&sessions)
        _ = try #require(await session.next())
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        let ended = Task {
            var states = firestore.states(every: .zero).makeAsyncIterator()
            return await states.next()
        }
        while case .inquiry? = await session.next()?.request { break }
        try await firestore.terminate()
        #expect(await ended.value == nil)
        var after = firestore.states.makeAsyncIterator()
        #expect(await after.next() == nil)
    }

    @Test func `an instance of the Realtime Database tells the same`() async throws {
        let daemon = try FakeDaemon(FakeDaemon.instance)
        let database = daemon.realtime()
        var sessions = daemon.sessions.makeAsyncIterator()
        var states = database.states(every: .zero).makeAsyncIterator()
        async let first = states.next()
        let session = try await session(&sessions)
        try await answer(session) { $0.onlineState = .online }
        #expect(await first?.connection == .online)
    }
}
