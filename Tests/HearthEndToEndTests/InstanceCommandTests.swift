import Hearth
import HearthTestSupport
import Testing

/// `hearth rtdb`, each command against a daemon with a backend.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct InstanceCommandTests {
    /// A machine with an instance, on whose daemon commands are run.
    private struct Shell {
        let world: World
        let machine: Machine

        init() throws {
            world = try World()
            machine = try world.machine("machine", ["--realtime.emulator", world.emulatorAddress])
        }

        func rtdb(_ arguments: String..., input: String = "") throws -> CommandRun {
            try CommandRun(world, machine, ["rtdb"] + arguments, input: input)
        }
    }

    @Test func `what is set, updated, counted, pushed and removed is read and listened to`() throws
    {
        let shell = try Shell()
        let set = try shell.rtdb("set", "rooms/hall", #"{"lights":3,"name":"Hall"}"#)
        #expect(set.status == 0, "\(set.complaints)")
        let updated = try shell.rtdb("update", "rooms", "hall/lights=4", "attic/name=Attic")
        #expect(updated.status == 0, "\(updated.complaints)")
        let rooms = #"{"attic":{"name":"Attic"},"hall":{"lights":4,"name":"Hall"}}"#
        #expect(try shell.rtdb("get", "rooms").output == [rooms])

        let counted = try shell.rtdb("transaction", "rooms/hall/lights", "--add", "1")
        #expect(counted.output == ["committed 5"], "\(counted.complaints)")
        let refused = try shell.rtdb("transaction", "rooms/hall/lights", "7", "--expect", "4")
        #expect(refused.status == 1)
        #expect(refused.output == ["not committed, for there is 5"])
        let replaced = try shell.rtdb("transaction", "rooms/hall/lights", "7", "--expect", "5")
        #expect(replaced.output == ["committed 7"])

        let keys = try ["first", "second"].map { text in
            try #require(try shell.rtdb("push", "log", text).output.first)
        }
        #expect(keys[0] < keys[1])
        let added = try shell.rtdb("listen", "log", "--children", "--count", "2")
        #expect(added.output == ["+ \(keys[0]) \"first\"", "+ \(keys[1]) \"second\""])
        #expect(try shell.rtdb("remove", "log").status == 0)
        let gone = try shell.rtdb("get", "log")
        #expect(gone.status == 1)
        #expect(gone.complaints == ["Nothing is at log."])
    }

    @Test func `what is exported can be imported, in the place of all or beside what is there`()
        throws
    {
        let shell = try Shell()
        #expect(try shell.rtdb("set", "rooms/hall", "1", "--priority", "2").status == 0)
        let exported = try shell.rtdb("export", "rooms").output
        #expect(exported.count == 1 && exported[0].contains(".priority"))
        #expect(try shell.rtdb("set", "copy", #"{"old":true}"#).status == 0)
        let imported = try shell.rtdb("import", "-", "copy", input: exported[0])
        #expect(imported.status == 0, "\(imported.complaints)")
        #expect(try shell.rtdb("export", "copy").output == exported)
        let merged = try shell.rtdb("import", "-", "copy", "--merge", input: #"{"cellar":2}"#)
        #expect(merged.status == 0, "\(merged.complaints)")
        #expect(try shell.rtdb("get", "copy").output == [#"{"cellar":2,"hall":1}"#])
    }
}
