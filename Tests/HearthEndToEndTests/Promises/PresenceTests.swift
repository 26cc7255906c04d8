import Hearth
import HearthTestSupport
import Testing

/// Other machines' view of programs that end, and of programs whose daemon is started anew.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PresenceTests {
    private static let program = """
        import Hearth

        let settings = DatabaseSettings(
            socketPath: CommandLine.arguments[1], connectTimeout: .seconds(20))
        func show(at place: DatabaseReference) async throws {
            try await place.onDisconnectSetValue("gone")
            try await place.setValue("here", until: .committed)
            while true { try await Task.sleep(for: .seconds(60)) }
        }
        try await show(at: Database(settings: settings).reference(withPath: "users/ada"))
        """
    private static let programCount = 50

    private func machine(_ world: World, _ name: String) throws -> Machine {
        try world.machine(name, ["--realtime.emulator", world.emulatorAddress])
    }

    private func database(_ machine: Machine) -> Database {
        Database(
            settings: DatabaseSettings(
                socketPath: machine.socketPath, connectTimeout: .seconds(20)))
    }

    /// Waits until all users show one value to a machine.
    private func expect(
        _ value: String, at users: inout DatabaseEventSequence<DataSnapshot>.Iterator, count: Int
    ) async throws {
        _ = try await users.first { snapshot in
            let shown = snapshot.children.map { $0.value as? String }
            return shown.count == count && shown.allSatisfy { $0 == value }
        }
    }

    @Test func `another machine sees within a second that a program was killed`() async throws {
        let world = try World()
        let (one, two) = (try machine(world, "one"), try machine(world, "two"))
        let source = world.write(Self.program, to: "main.swift")
        let path = try ProgramCompiler(world).program("present", [source])
        var users = database(two).reference(withPath: "users").values.makeAsyncIterator()
        var delays: [Duration] = []
        for _ in 1...3 {
            let process = try ChildProcess(
                path, [one.socketPath], log: "\(world.folder.path)/present.log")
            try await expect("here", at: &users, count: 1)
            let killedAt = ContinuousClock.now
            process.kill9()
            try await expect("gone", at: &users, count: 1)
            delays.append(.now - killedAt)
        }
        // Other work on the machine may take more than a second of one of them.
        #expect(try #require(delays.min()) < .seconds(1), "\(delays)")
    }

    /// A daemon that is asked to end closes its link before its sessions; one that is killed ends
    /// both.
    @Test(arguments: [true, false])
    func `fifty programs have their orders again when the daemon has been restarted`(
        isKilled: Bool
    ) async throws {
        let world = try World()
        let (one, two) = (try machine(world, "one"), try machine(world, "two"))
        var programs: [Database] = (0..<Self.programCount).map { _ in database(one) }
        let places = programs.indices.map { "users/u\($0)" }
        for (program, place) in zip(programs, places) {
            try await program.reference(withPath: place).onDisconnectSetValue("gone")
            try await program.reference(withPath: place).setValue("here")
        }
        var users = database(two).reference(withPath: "users").values.makeAsyncIterator()
        try await expect("here", at: &users, count: Self.programCount)
        if isKilled { one.killDaemon() } else { one.stopDaemon() }
        try await expect("gone", at: &users, count: Self.programCount)
        try one.startDaemon()
        // The library gives the orders before the writes, without a line of the program's.
        for (program, place) in zip(programs, places) {
            try await program.reference(withPath: place).setValue("back", until: .committed)
        }
        try await expect("back", at: &users, count: Self.programCount)
        programs = []
        try await expect("gone", at: &users, count: Self.programCount)
    }

    @Test func `fifty programs are shown again when the daemon has been restarted`() async throws {
        let world = try World()
        let (one, two) = (try machine(world, "one"), try machine(world, "two"))
        let programs = (0..<Self.programCount).map { _ in database(one) }
        for (number, program) in programs.enumerated() {
            try program.reference(withPath: "users/u\(number)").showPresence(
                "here", afterwards: "gone")
        }
        var users = database(two).reference(withPath: "users").values.makeAsyncIterator()
        try await expect("here", at: &users, count: Self.programCount)
        one.killDaemon()
        try await expect("gone", at: &users, count: Self.programCount)
        try one.startDaemon()
        try await expect("here", at: &users, count: Self.programCount)
    }
}
