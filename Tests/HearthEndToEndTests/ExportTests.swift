import Hearth
import HearthTestSupport
import Testing

/// Whole trees out of one database and into another, by the command line.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ExportTests {
    @Test func `a tree that was exported is the same when it is imported elsewhere`() async throws {
        let (world, otherWorld) = (try World(), try World())
        let (here, there) = (try world.machine(), try otherWorld.machine())
        func hearth(_ machine: Machine, _ arguments: String..., input: String = "") throws
            -> CommandRun
        {
            try CommandRun(world, machine, arguments, input: input)
        }
        _ = try await here.client().daemonStatus()
        _ = try await there.client().daemonStatus()
        let writes = [
            ["rooms/attic", "key=bytes(AP8=)", "place=geo(-0.5,180)", "tags=[1,2.5,null]"],
            ["rooms/attic/lamps/7", "on=true"],
            ["rooms/hall", "next=ref(rooms/attic)", "odd=NaN", "shape=vector(1,2.5)"],
            // Below a document that is not there itself.
            ["rooms/cellar/lamps/a/bulbs/b", "built=timestamp(1899-12-31T23:59:59.123456Z)"],
            ["towns/oslo", "name={\"$map\":{\"$b\":[]}}"],
        ]
        for write in writes {
            #expect(try CommandRun(world, here, ["set"] + write).status == 0)
        }
        let exported = try hearth(here, "export", "--source", "cache")
        #expect(exported.status == 0)
        #expect(exported.output.count == writes.count)

        let imported = try hearth(
            there, "import", "-", input: exported.output.joined(separator: "\n"))
        #expect(imported.status == 0)
        #expect(imported.output == ["accepted 5 documents, 1 batch"])
        #expect(try hearth(there, "export", "--source", "cache").output == exported.output)
        #expect(
            try hearth(there, "collections").output == [
                "COLLECTION", "rooms", "rooms/attic/lamps", "rooms/cellar/lamps/a/bulbs", "towns",
            ])
        #expect(
            try hearth(there, "collections", "rooms/cellar", "--quiet").output == [
                "rooms/cellar/lamps/a/bulbs"
            ])
        let part = try hearth(there, "export", "rooms/attic", "--source", "cache")
        #expect(part.output.count == 2)
        #expect(part.complaints.isEmpty)
    }

    @Test func `of a path where nothing is, export says so`() async throws {
        let world = try World()
        let machine = try world.machine()
        _ = try await machine.client().daemonStatus()
        for path in ["rooms", "rooms/hall"] {
            let run = try CommandRun(world, machine, ["export", path])
            #expect(run.status == 0 && run.output.isEmpty)
            #expect(run.complaints.contains { $0.contains("Nothing is at or below \(path)") })
        }
        let letters = try CommandRun(world, machine, ["dead-letters", "export"])
        #expect(letters.status == 0 && letters.output.isEmpty)
        #expect(letters.complaints == ["Nothing was rejected or cancelled."])
        let quiet = try CommandRun(world, machine, ["export", "rooms", "-q"])
        #expect(quiet.complaints.isEmpty)
    }

    @Test func `a file that is no export is refused, and nothing of it is written`() async throws {
        let world = try World()
        let machine = try world.machine()
        _ = try await machine.client().daemonStatus()
        let lines = #"{"path":"rooms/hall","fields":{}}"# + "\n" + #"{"name":"Hall"}"#
        let run = try CommandRun(world, machine, ["import", "-"], input: lines)
        #expect(run.status == 1)
        #expect(run.complaints.joined().contains("record 2 of 2"))
        #expect(try CommandRun(world, machine, ["collections"]).output.isEmpty)
    }
}
