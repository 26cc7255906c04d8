import ArgumentParser
import HearthTestSupport
import Testing

@testable import Hearth
@testable import HearthCLI

/// The way of a command to a socket whose places others have taken.
@Suite(.timeLimit(.minutes(1)))
struct SessionTests {
    @Test func `a place at a crowded socket is waited for until one becomes free`() async throws {
        let socket = try DeafSocket()
        let path = socket.path
        let (threads, thread) = AsyncStream.makeStream(of: WatchedThread.self)
        let (ends, end) = AsyncStream.makeStream(of: Failure?.self)
        WorkerThread.start {
            if let own = WatchedThread() { thread.yield(own) }
            thread.finish()
            do throws(Failure) {
                try Session.probe(path, patience: .seconds(600))
                end.yield(nil)
            } catch {
                end.yield(error)
            }
        }
        var begun = threads.makeAsyncIterator()
        let probing = try #require(await begun.next())
        _ = try await eventually({ probing.isWaiting }, is: { $0 })
        #expect(socket.takeOne())
        var outcomes = ends.makeAsyncIterator()
        let failure = try #require(await outcomes.next())
        #expect(failure == nil)
    }

    @Test func `a socket that stays crowded is given up in time, and the cure is named`() throws {
        let socket = try DeafSocket()
        let patience = Duration.milliseconds(50)
        let begun = ContinuousClock.now
        let failure = #expect(throws: Failure.self) {
            try Session.probe(socket.path, patience: patience)
        }
        #expect(ContinuousClock.now - begun >= patience)
        #expect(failure?.status == .timedOut)
        #expect(failure?.message?.contains("systemctl restart hearthd") == true)
    }

    @Test func `a crowded socket is no sign that nobody listens, and a missing one is`() throws {
        let socket = try DeafSocket()
        try Session.checkPresence(at: socket.path)
        #expect(Session.isSomebody(at: socket.path))
        #expect(!Session.isSomebody(at: socket.path + "-missing"))
        let failure = #expect(throws: Failure.self) {
            try Session.checkPresence(at: socket.path + "-missing")
        }
        #expect(failure?.status == .notRunning)
        #expect(failure.map { Session.mayListen(after: $0) } == false)
        #expect(Session.mayListen(after: TimeLimit.Passed()))
    }

    @Test func `a daemon is looked for no longer than the command may take`() async {
        let begun = ContinuousClock.now
        let failure = await #expect(throws: Failure.self) {
            let options = try ConnectionOptions.parse(["--socket", "/nonexistent/hearth.sock"])
            _ = try await Session.whenStarted(options, timeout: .milliseconds(10))
        }
        #expect(failure?.status == .notRunning)
        #expect(ContinuousClock.now - begun < Session.startPatience)
    }

    @Test func `a command that follows restarts has one time limit for all that it asks`()
        async throws
    {
        // A daemon that is not there takes as long to answer as a question waits for a connection.
        let socketPath = "/nonexistent/hearth.sock"
        let asked = Firestore(
            settings: FirestoreSettings(
                socketPath: socketPath, connectTimeout: .milliseconds(1_500)))
        let worker = Firestore(
            settings: FirestoreSettings(
                socketPath: socketPath, connectTimeout: .milliseconds(1_200)))
        let failure = await #expect(throws: Failure.self) {
            try await Session.attempt(
                "wait", at: socketPath, timeout: .seconds(2), following: asked
            ) {
                // 0.5 s are left for these 1.2 s.
                _ = try? await worker.daemonClients()
            }
        }
        #expect(failure?.status == .timedOut)
    }

    @Test func `a path that is too long for a socket is told as such`() {
        let failure = #expect(throws: Failure.self) {
            try Session.probe("/" + String(repeating: "x", count: 200))
        }
        #expect(failure?.status == .usage)
        #expect(failure?.message?.contains("longer than 107 bytes") == true)
    }
}
