import Glibc
import Hearth
import HearthTestSupport
import Testing

/// Google's own Python client listens through a real daemon, whatever befalls the daemon.
@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: GooglePython.isInstalled))
struct GatewayListenerTests {
    /// A world whose cache knows the rooms, with a listener of each socket.
    private func listeners(
        _ world: World, _ machine: Machine, _ client: Firestore
    ) async throws -> (listener: PythonListener, local: PythonListener) {
        try await client.document("rooms/hall").setData(["n": 1])
        _ = try await client.collection("rooms").getDocuments(source: .server)
        let listener = try PythonListener(world, machine)
        let local = try PythonListener(world, machine, isLocal: true)
        try await listener.hears(["ADDED hall 1 0"])
        try await local.hears(["ADDED hall 1 0"])
        return (listener, local)
    }

    /// Writes without waiting for the backend, which cannot be reached.
    private func write(_ name: String, _ number: Int, _ client: Firestore) {
        client.document("rooms/\(name)").setData(["n": number])
    }

    @Test func `online each write is one event with the backend's time`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        let (listener, _) = try await listeners(world, machine, client)
        var events = ["ADDED hall 1 0"]
        for number in 2...6 {
            try await client.document("rooms/hall").setData(["n": number])
            events.append("MODIFIED hall \(number) 0")
            try await listener.hears(events)
        }
        try await client.document("rooms/hall").delete()
        try await listener.hears(events + ["REMOVED hall 6 0"])
    }

    @Test func `offline a write is shown at once, and settles when the backend is back`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        let (listener, local) = try await listeners(world, machine, client)
        world.killEmulator()
        _ = try await eventually(
            { try await client.daemonStatus().onlineState }, is: { $0 == .offline })
        write("attic", 2, client)
        for one in [listener, local] {
            try await one.hears(["ADDED hall 1 0", "ADDED attic 2 1"])
        }
        try world.startEmulator()
        for one in [listener, local] {
            try await one.hears(["ADDED hall 1 0", "ADDED attic 2 1", "MODIFIED attic 2 0"])
        }
    }

    @Test(arguments: [true, false])
    func `a daemon that starts anew causes no event`(isOnline: Bool) async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        let (listener, local) = try await listeners(world, machine, client)
        var events = ["ADDED hall 1 0"]
        if !isOnline {
            world.killEmulator()
            _ = try await eventually(
                { try await client.daemonStatus().onlineState }, is: { $0 == .offline })
            write("attic", 2, client)
            events.append("ADDED attic 2 1")
            try await listener.hears(events)
        }
        machine.killDaemon()
        try machine.startDaemon()
        if !isOnline { try world.startEmulator() }
        let next = machine.client()
        try await next.document("rooms/hall").setData(["n": 3])
        let settled = isOnline ? [] : ["MODIFIED attic 2 0"]
        try await listener.hears(events + settled + ["MODIFIED hall 3 0"])
        #expect(local.events.filter { $0.hasPrefix("ADDED") }.count == events.count)
    }
}
