import Hearth
import HearthTestSupport
import Testing

/// The addresses at which `hearthd emulate` is told to serve.
@Suite(.timeLimit(.minutes(2)))
struct EmulatorAddressTests {
    private func place(_ machine: Machine) -> DatabaseReference {
        let settings = DatabaseSettings(
            socketPath: machine.socketPath, connectTimeout: .seconds(20))
        return Database(settings: settings).reference(withPath: "rooms/hall")
    }

    /// Waits until a machine reads a value, for which its link must be there.
    private func shows(_ number: Int, _ machine: Machine) async throws {
        let place = place(machine)
        _ = try await eventually {
            try? await place.getData().value as? Int
        } is: {
            $0 == number
        }
    }

    @Test func `an address for the Realtime Database serves the trees of the other address`()
        async throws
    {
        let folder = TemporaryFolder()
        defer { folder.remove() }
        let address = "unix:\(folder.path)/realtime.sock"
        let world = try World(emulatorFlags: ["--realtime", address])
        let near = try world.machine("near", ["--realtime.emulator", address])
        let far = try world.machine("far", ["--realtime.emulator", world.emulatorAddress])
        try await place(near).setValue(5)
        try await shows(5, far)
        // The emulator's folder keeps trees as it keeps documents.
        world.killEmulator()
        try world.startEmulator()
        let next = try world.machine("next", ["--realtime.emulator", address])
        try await shows(5, next)
    }
}
