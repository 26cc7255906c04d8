import Glibc
import Hearth
import HearthTestSupport
import Testing

/// The guarantees for several programs that share one Realtime Database.
///
/// `HEARTH_TRANSACTIONS` says how many transactions each program runs (1,000 if unset).
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharedInstanceTests {
    private func machine(_ world: World, _ name: String = "machine") throws -> Machine {
        try world.machine(name, ["--realtime.emulator", world.emulatorAddress])
    }

    private func database(_ machine: Machine) -> Database {
        Database(
            settings: DatabaseSettings(
                socketPath: machine.socketPath, connectTimeout: .seconds(20)))
    }

    @Test func `two programs share an instance offline, and the backend gets all in order`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try machine(world)
        let (writer, reader) = (database(machine), database(machine))
        let lights = reader.reference(withPath: "rooms/hall/lights")
        var seen = lights.values.makeAsyncIterator()
        for number in 1...5 {
            try await writer.reference(withPath: "rooms/hall/lights").setValue(
                number, until: .accepted)
            try await reader.reference(withPath: "log").childByAutoId().setValue(
                number, until: .accepted)
        }
        while let snapshot = try await seen.next(), snapshot.value as? Int != 5 {}
        machine.killDaemon()
        try machine.startDaemon()
        try world.startEmulator()
        try await writer.waitForPendingWrites()
        let other = database(try self.machine(world, "witness"))
        let log = try await other.reference(withPath: "log").getData()
        #expect(log.children.compactMap { $0.value as? Int } == Array(1...5))
        let hall = try await other.reference(withPath: "rooms/hall/lights").getData()
        #expect(hall.value as? Int == 5)
    }

    @Test func `transactions of two machines add up, also when a third program dies`() async throws
    {
        let world = try World()
        let (one, two) = (try machine(world), try machine(world, "other"))
        let count = 40
        try await withThrowingTaskGroup { group in
            for database in [database(one), database(one), database(two)] {
                group.addTask {
                    let place = database.reference(withPath: "n")
                    for _ in 0..<count {
                        while try await !Self.increments(place) {}
                    }
                }
            }
            // It is gone while its block may be running.
            var mortal: Database? = database(one)
            mortal?.reference(withPath: "n").runTransactionBlock(
                { _ in .abort() }, andCompletionBlock: { _, _, _ in })
            mortal = nil
            try await group.waitForAll()
        }
        let sum = try await database(two).reference(withPath: "n").getData()
        #expect(sum.value as? Int == 3 * count)
    }

    /// Adds one to a number.
    ///
    /// - Returns: `false` if other machines were faster twenty-five times. A machine whose programs
    ///   always have a result at hand may be; then nothing was added.
    private static func increments(_ place: DatabaseReference) async throws -> Bool {
        do {
            let (isCommitted, _) = try await place.runTransactionBlock { data in
                data.value = (data.value as? Int ?? 0) + 1
                return .success(withValue: data)
            }
            #expect(isCommitted)
            return true
        } catch let error as DatabaseError where error.message.hasPrefix("maxretries") {
            return false
        }
    }

    private static let transactionCount =
        getenv("HEARTH_TRANSACTIONS").flatMap { Int(String(cString: $0)) } ?? 1_000

    /// Runs transactions on the same place that change nothing, until it is killed. Says when it has
    /// run the first.
    private static let thirdProgram = """
        import Hearth

        let settings = DatabaseSettings(
            socketPath: CommandLine.arguments[1], connectTimeout: .seconds(20))
        func run(at place: DatabaseReference) async {
            while true {
                _ = try? await place.runTransactionBlock { .success(withValue: $0) }
                _ = try? await place.root.child("third").setValue("runs", until: .accepted)
            }
        }
        await run(at: Database(settings: settings).reference(withPath: "n"))
        """

    @Test func `two programs' transactions add up exactly, also when a third is killed`()
        async throws
    {
        let world = try World()
        let machine = try machine(world)
        let source = world.write(Self.thirdProgram, to: "main.swift")
        let third = try ChildProcess(
            try ProgramCompiler(world).program("third", [source]), [machine.socketPath],
            log: "\(world.folder.path)/third.log")
        var said = database(machine).reference(withPath: "third").values.makeAsyncIterator()
        while let snapshot = try await said.next(), snapshot.value as? String != "runs" {}
        try await withThrowingTaskGroup { group in
            for database in [database(machine), database(machine)] {
                group.addTask {
                    let place = database.reference(withPath: "n")
                    for number in 1...Self.transactionCount {
                        let (isCommitted, _) = try await place.runTransactionBlock { data in
                            data.value = (data.value as? Int ?? 0) + 1
                            return .success(withValue: data)
                        }
                        #expect(isCommitted)
                        if number == Self.transactionCount / 2 { third.kill9() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let other = try self.machine(world, "other")
        let sum = try await database(other).reference(withPath: "n").getData()
        #expect(sum.value as? Int == 2 * Self.transactionCount)
    }

    @Test func `a program that is gone leaves what it ordered, and other machines see it`()
        async throws
    {
        let world = try World()
        let (one, two) = (try machine(world), try machine(world, "other"))
        var program: Database? = database(one)
        try await program?.reference(withPath: "users/ada").onDisconnectSetValue("gone")
        try await program?.reference(withPath: "users/ada").setValue("here", until: .committed)
        var seen = database(two).reference(withPath: "users/ada").values.makeAsyncIterator()
        var value = try await seen.next()?.value as? String
        while value != "here" { value = try await seen.next()?.value as? String }
        program = nil
        while value != "gone" { value = try await seen.next()?.value as? String }
        #expect(value == "gone")
    }
}
