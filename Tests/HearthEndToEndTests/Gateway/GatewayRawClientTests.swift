import Foundation
import Hearth
import HearthTestSupport
import Testing

/// What programs with Google's clients for Node and Java meet while their machine is offline: the requests
/// of those clients in their order, over loopback TCP, by raw clients.
///
/// The steps of the stories, and what they expect, are in node_stories.js and JavaStories.java.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct GatewayRawClientTests {
    /// A machine with a port for a client, whose backend is gone or about to go.
    private struct Story {
        let client: RawClient
        let world: World
        let machine: Machine
        let port: UInt16

        /// Begins with what the stories are about in the cache.
        init(_ client: RawClient, _ flags: [String] = []) async throws {
            self.client = client
            world = try World()
            port = try LoopbackPort.free()
            let machine = try world.machine(
                "machine", ["--gateway.address", "127.0.0.1:\(port)"] + flags)
            self.machine = machine
            // The daemon may have started before its backend, and then learns of the backend only
            // now.
            _ = try await eventually {
                try? await machine.client().collection("nothing").getDocuments(source: .server)
            } is: {
                $0 != nil
            }
            try tell("prepare")
        }

        /// Takes the backend away.
        func goOffline() async throws {
            world.killEmulator()
            try await machine.knowsItIsOffline()
        }

        func start(_ step: String) throws -> ChildProcess {
            let line = client.line ?? []
            return try ChildProcess(
                line.first ?? "/nowhere", Array(line.dropFirst()) + [step],
                log: "\(world.folder.path)/\(step)-errors.log", input: "/dev/null",
                output: "\(world.folder.path)/\(step).log",
                environment: ["FIRESTORE_EMULATOR_HOST=127.0.0.1:\(port)"])
        }

        /// Runs a step to its end; the step must succeed.
        func tell(_ step: String, line: SourceLocation = #_sourceLocation) throws {
            let status = try start(step).exitStatus()
            #expect(status == 0, "\(step): \(world.log("\(step)-errors"))", sourceLocation: line)
        }

        /// The numbers of the waiting batches, and of the batches that the backend refused.
        func drained() async throws -> DaemonStatus {
            try await eventually {
                try await machine.client().daemonStatus()
            } is: {
                $0.queueBatchCount == 0
            }
        }
    }

    @Test(arguments: RawClient.installed)
    func `offline, writes show at once, conditions hold, and what needs the backend says so`(
        client: RawClient
    ) async throws {
        let story = try await Story(client)
        try await story.goOffline()
        try story.tell("writes_show")
        try story.tell("conditions_hold")
        try story.tell("unknown_is_no_absence")
        try story.tell("transactions_are_refused")
    }

    @Test(arguments: RawClient.installed)
    func `what was accepted outlives the daemon, and lands in its order with real times`(
        client: RawClient
    ) async throws {
        let story = try await Story(client)
        try await story.goOffline()
        for step in ["writes_show", "chained", "pending_twice", "accept"] { try story.tell(step) }
        story.machine.killDaemon()
        try story.machine.startDaemon()
        try await story.machine.knowsItIsOffline()
        try story.tell("kept")
        try story.world.startEmulator()
        try story.tell("landed")
        #expect(try await story.drained().deadLetterCount == 0)
        let twice = try await story.machine.client().document("rooms/twice").getDocument(
            source: .server)
        #expect(twice["n"] as? Int == 21)
    }

    @Test(arguments: RawClient.installed)
    func `a change between two changes of a pending document makes the later a dead letter`(
        client: RawClient
    ) async throws {
        let story = try await Story(client)
        try await story.goOffline()
        try story.tell("pending_twice")
        try await story.world.changeBetween(story.machine)
    }

    @Test(arguments: RawClient.installed)
    func `a full queue refuses at once, and no client tries again`(
        client: RawClient
    ) async throws {
        let story = try await Story(client, ["--queue.uidBatchCountMax", "1"])
        try await story.goOffline()
        try story.tell("full_queue_refuses")
    }

    @Test(arguments: RawClient.installed)
    func `a change between is told of: what was written on an older state is a dead letter`(
        client: RawClient
    ) async throws {
        let story = try await Story(client)
        try await story.goOffline()
        try story.tell("chained")
        // Another machine changes the document at the backend before this one is back.
        story.machine.stopDaemon()
        try story.world.startEmulator()
        let other = try story.world.machine("other").client()
        try await other.document("rooms/b").setData(["n": 100])
        try story.machine.startDaemon()
        #expect(try await story.drained().deadLetterCount == 2)
        let b = try await other.document("rooms/b").getDocument(source: .server)
        #expect(b["n"] as? Int == 100)
    }

    @Test(arguments: RawClient.installed)
    func `a bulk writer of a thousand is accepted offline, and lands`(
        client: RawClient
    ) async throws {
        let story = try await Story(client)
        try await story.goOffline()
        try story.tell("many")
        try story.world.startEmulator()
        #expect(try await story.drained().deadLetterCount == 0)
        let many = try await story.machine.client().collection("many").count.getAggregation(
            source: .server)
        #expect(many.count == 1_000)
    }

    @Test(arguments: RawClient.installed)
    func `a listener hears of each change once, over a restart and back to real times`(
        client: RawClient
    ) async throws {
        let story = try await Story(client)
        try await story.goOffline()
        let listener = try story.start("listen")
        func events() -> [String] {
            story.world.log("listen").split(separator: "\n").map(String.init)
        }
        func heard(_ event: String) async throws {
            _ = try await eventually(events) { $0.contains(event) }
        }
        try await heard("ADDED a 1 real")
        try await heard("ADDED c 2 real")
        try story.tell("accept")
        try await heard("ADDED kept 7 pending")
        let before = events().count

        story.machine.stopDaemon()
        try story.machine.startDaemon()
        try await story.machine.knowsItIsOffline()
        try story.world.startEmulator()
        try await heard("MODIFIED kept 7 real")
        #expect(events().count == before + 1, "\(events())")
        listener.terminate()
    }

    @Test(.enabled(if: RawClient.java.line != nil))
    func
        `to Java's client answers beyond its windows are whole, and a removed listener ends its call`()
        async throws
    {
        let story = try await Story(.java)
        try story.tell("large")
        try story.tell("unlisten")
        try await story.goOffline()
        try story.tell("large_cached")
        try story.tell("unlisten")
    }
}
