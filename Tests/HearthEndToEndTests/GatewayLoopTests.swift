import HearthTestSupport
import Testing

/// A daemon that is told to be its own backend.
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
}
