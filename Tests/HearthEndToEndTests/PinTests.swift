import Hearth
import HearthTestSupport
import Testing

/// Queries that are kept in step though nobody listens: through the library, the command line and the
/// configuration.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PinTests {
    private func states(_ client: Firestore) async throws -> [String: Pin.State] {
        let pins = try await client.pins()
        return Dictionary(pins.map { ($0.name, $0.state) }) { first, _ in first }
    }

    private func awaitState(
        _ state: Pin.State, of name: String, _ client: Firestore
    ) async throws {
        _ = try await eventually {
            try await states(client)
        } is: {
            $0[name] == state
        }
    }

    @Test func `a pin that is fresh leaves the daemon idle, and its status too`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        let rooms = client.collection("rooms")
        try await rooms.pin(name: "rooms", fresh: .seconds(3_600))
        try await client.waitForPin("rooms")
        // The next daemon has a pin that is fresh, and needs no connection for it.
        machine.killDaemon()
        try machine.startDaemon()
        let status = try await eventually {
            try await client.daemonStatus()
        } is: {
            $0.onlineState == .unknown && $0.isIdle
        }
        #expect(status.targetCount > 0)
        let told = try CommandRun(world, machine, ["status", "--json"])
        #expect(told.output.first?.contains(#""state":"idle""#) == true)
    }

    @Test func `a pinned query is there offline, after a kill, and follows the backend again`()
        async throws
    {
        let world = try World()
        let (machine, other) = (try world.machine(), try world.machine("other"))
        try await other.client().document("rooms/hall").setData(["lights": 1])
        let client = machine.client()
        let lit = client.collection("rooms").whereField("lights", isGreaterThan: 0)
        #expect(try await lit.pin(name: "lit") == "lit")
        try await client.waitForPin("lit")
        try await other.client().document("rooms/attic").setData(["lights": 2])
        _ = try await eventually {
            try await lit.getDocuments(source: .cache).count
        } is: {
            $0 == 2
        }
        machine.killDaemon()
        world.killEmulator()
        try machine.startDaemon()
        let again = machine.client()
        try await again.waitForPin("lit")
        let cached = try await again.collection("rooms").whereField("lights", isGreaterThan: 0)
            .getDocuments(source: .cache)
        #expect(cached.documents.map(\.documentID) == ["hall", "attic"])
        try world.startEmulator()
        try await other.client().document("rooms/hall").setData(["lights": 5])
        try await awaitState(.inStep, of: "lit", again)
        _ = try await eventually {
            try? await again.document("rooms/hall").getDocument(source: .cache).get("lights")
                as? Int
        } is: {
            $0 == 5
        }
        #expect(try await again.daemonStatus().pinCount == 1)
        try await again.unpin("lit")
        #expect(try await again.pins().isEmpty)
        await #expect(throws: FirestoreError.self) { try await again.waitForPin("lit") }
    }

    @Test func `the command line pins, lists, waits and unpins`() async throws {
        let world = try World()
        let machine = try world.machine()
        try await machine.client().document("rooms/hall").setData(["lights": 1])
        func hearth(_ arguments: String...) throws -> CommandRun {
            try CommandRun(world, machine, arguments)
        }
        let pinned = try hearth(
            "pin", "rooms", "--where", "lights > 0", "--name", "lit", "--fresh", "10m")
        #expect(pinned.output == ["pinned lit"])
        #expect(
            try hearth("pin", "rooms/hall", "--json").output
                == [#"{"name":"rooms/hall","state":"pinned"}"#])
        #expect(try hearth("wait", "--pinned", "lit", "--timeout", "30s").output == ["pinned"])
        #expect(try hearth("wait", "--pinned", "rooms/hall", "--timeout", "30s").status == 0)
        let list = try hearth("pins").output
        #expect(list.count == 3)
        #expect(list[1].hasPrefix("lit         fresh   "))
        #expect(list[2].hasPrefix("rooms/hall  inStep  "))
        let status = try hearth("status").output
        #expect(status.contains { $0.hasPrefix("pins      2 queries or documents, ") })
        #expect(
            try hearth("unpin", "lit", "rooms/hall").output == ["ended lit", "ended rooms/hall"])
        #expect(try hearth("unpin", "lit").status == 1)
        let typed = "rooms --where 'lights > 0' --order lights:desc"
        func pin() throws {
            let run = try hearth("pin", "rooms", "--where", "lights>0", "--order", "lights:desc")
            #expect(run.output == ["pinned \(typed)"])
        }
        try pin()
        let shown = try hearth("pins")
        #expect(shown.output.contains { $0.hasPrefix("\(typed)  ") }, "\(shown.output)")
        let end = ["ended \(typed)"]
        #expect(
            try hearth("unpin", "rooms", "--where", "lights > 0", "--order", "lights:desc").output
                == end)
        try pin()
        #expect(try hearth("unpin", typed).output == end)
        try pin()
        let canonical = "rooms|f:lights>0|ob:lightsdesc,__name__desc|lt:F"
        #expect(try hearth("wait", "--pinned", canonical, "--timeout", "30s").output == ["pinned"])
        #expect(try hearth("unpin", canonical).output == end)
        // A program names no pin as people type it.
        let query = machine.client().collection("rooms").whereField("lights", isGreaterThan: 0)
        let own = try await query.pin()
        #expect(
            try await machine.client().pins().map(\.query) == [
                "rooms where lights > 0 order by lights"
            ])
        #expect(
            try hearth("pins").output.last?.hasSuffix("rooms where lights > 0 order by lights")
                == true)
        #expect(try hearth("unpin", "rooms", "--where", "lights > 0").output == ["ended \(own)"])
        #expect(try hearth("wait", "--pinned", "lit").status == 1)
        #expect(try hearth("wait").status == 64)
    }

    @Test func `a configured pin is kept, and a reload changes what is pinned and how much`()
        async throws
    {
        let world = try World()
        let path = world.write("[pins]\nkeep = [\"rooms\"]\n", to: "hearthd.toml")
        let machine = try world.machine("machine", ["--config", path])
        let client = machine.client()
        try await client.document("rooms/hall").setData(["text": String(repeating: "x", count: 500)]
        )
        try await awaitState(.inStep, of: "rooms", client)
        #expect(try await client.pins().first?.uid == nil)
        try await client.collection("rooms").pin(name: "own")
        try await awaitState(.inStep, of: "own", client)
        _ = world.write("[pins]\nuidByteCountMax = 100\n", to: "hearthd.toml")
        #expect(try CommandRun(world, machine, ["reload"]).status == 0)
        try await awaitState(.stopped, of: "own", client)
        let pins = try await client.pins()
        #expect(pins.map(\.name) == ["own"])
        #expect(pins.first?.error?.message.contains("pins.uidByteCountMax = 100") == true)
        let error = await #expect(throws: FirestoreError.self) {
            try await client.waitForPin("own")
        }
        #expect(error?.code == .resourceExhausted)
    }
}
