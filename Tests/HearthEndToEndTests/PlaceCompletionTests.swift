import Hearth
import HearthTestSupport
import Testing

/// What a shell is offered for places of the Realtime Database, by a real daemon.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PlaceCompletionTests {
    /// What fish is told, as soon as the daemon has answered in time.
    private func offered(
        _ world: World, _ machine: Machine, _ typed: String,
        is isRight: ([String]) -> Bool
    ) async throws -> [String] {
        let question = ["---completion", "rtdb", "get", "--", "positional@0", "3", "0"]
        return try await eventually {
            try CommandRun(
                world, machine, question + ["hearth", "rtdb", "get", typed],
                launcher: ["/usr/bin/env", "SAP_SHELL=fish", "SAP_SHELL_VERSION=4.0"]
            ).output
        } is: {
            isRight($0)
        }
    }

    @Test func `places in the cache go on key by key, without the backend`() async throws {
        let world = try World()
        let machine = try world.machine("machine", ["--realtime.emulator", world.emulatorAddress])
        let database = Database(
            settings: DatabaseSettings(
                socketPath: machine.socketPath, connectTimeout: .seconds(20)))
        let rooms: [String: Any] = ["hall": ["seats": 4], "hat": 1, "attic": 2]
        try await database.reference(withPath: "rooms").setValue(rooms, until: .committed)
        _ = try await database.reference(withPath: "rooms").getData()
        world.killEmulator()
        #expect(
            try await offered(world, machine, "rooms/ha", is: { $0.count == 2 })
                == ["rooms/hall/", "rooms/hat"])
        #expect(
            try await offered(world, machine, "rooms/hall/", is: { !$0.isEmpty })
                == ["rooms/hall/seats"])
        let accepted = database.reference(withPath: "rooms/harbour")
        try await accepted.setValue(3, until: .accepted)
        #expect(
            try await offered(world, machine, "rooms/har", is: { !$0.isEmpty })
                == ["rooms/harbour"])
        #expect(try await offered(world, machine, "/ro", is: { !$0.isEmpty }) == ["/rooms/"])
        #expect(try await offered(world, machine, "rooms/z", is: { $0.isEmpty }) == [])
    }
}
