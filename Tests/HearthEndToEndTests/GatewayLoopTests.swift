import Hearth
import HearthTestSupport
import Testing

/// Daemons that are told to be their own backend, by themselves or together.
@Suite(.timeLimit(.minutes(2)))
struct GatewayLoopTests {
    @Test func `a daemon whose upstream is its own gateway works offline and says so`() throws {
        let world = try World(isOnline: false)
        let machine = try world.machine(
            "loop", ["--upstream.emulator", "unix:\(world.folder.path)/loop-firestore.sock"])
        let write = try CommandRun(world, machine, ["set", "rooms/hall", "seats=40"])
        #expect(write.status == 0, "\(write.complaints)")
        let status = try CommandRun(world, machine, ["status"])
        let text = status.output.joined(separator: "\n")
        #expect(text.contains("where this daemon itself serves Google's clients"), "\(text)")
        let clients = try CommandRun(world, machine, ["clients"])
        #expect(!clients.output.contains { $0.contains("grpc") }, "\(clients.output)")
    }

    /// Writes without waiting for the backend.
    private func write(_ name: String, _ client: Firestore) {
        client.document("rooms/\(name)").setData(["n": 1])
    }

    /// A write at a daemon whose backend leads back to it would come back to its queue, and go
    /// round for ever.
    @Test func `two daemons with each other for a backend know it, and say so`() async throws {
        let world = try World(isOnline: false)
        func flags(_ other: String) -> [String] {
            ["--upstream.emulator", "unix:\(world.folder.path)/\(other)-firestore.sock"]
        }
        let near = try world.machine("near", flags("far"))
        let far = try world.machine("far", flags("near"))
        let (nearClient, farClient) = (near.client(), far.client())
        write("hall", nearClient)
        write("attic", farClient)
        let reasons = try await eventually {
            try await nearClient.daemonStatus().degradedReasons
                + farClient.daemonStatus().degradedReasons
        } is: { reasons in
            reasons.contains { $0.contains("leads back") }
        }
        #expect(!reasons.isEmpty)
        // Whoever refused a call says so too, and no write has gone round.
        let logs = ["near", "far"].map(world.log).joined()
        #expect(logs.contains("call in a circle"), "\(logs)")
        for client in [nearClient, farClient] {
            write("cellar", client)
            let status = try await client.daemonStatus()
            #expect(status.queueBatchCount <= 4, "\(status)")
        }
    }
}
