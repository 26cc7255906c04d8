import Testing

@testable import HearthCLI

struct TableTextTests {
    private struct Lamp: ListRow {
        var name: String
        var watts = 5
        var room: String?
        var isBroken = false

        static var columns: [Column<Lamp>] {
            [
                Column("LAMP", widthMax: 8, tone: { $0.isBroken ? .bad : .plain }) { $0.name },
                Column(number: "WATTS") { "\($0.watts)" },
                Column("ROOM") { $0.room },
            ]
        }

        var report: Report { Report().with("name", name).with("watts", watts).with("room", room) }
    }

    @Test func `columns stand under their titles, numbers at the right`() {
        let lamps = [Lamp(name: "a", watts: 100, room: "hall"), Lamp(name: "bulb")]
        #expect(
            TableText(lamps).lines() == [
                "LAMP  WATTS  ROOM", "a       100  hall", "bulb      5  -",
            ])
        #expect(
            TableText(lamps).lines(hasTitles: false) == ["a       100  hall", "bulb      5  -"])
    }

    @Test func `a column in which no row says anything is left out`() {
        #expect(TableText([Lamp(name: "a")]).lines() == ["LAMP  WATTS", "a         5"])
    }

    @Test func `a list without rows is no table, an empty array, and no line`() {
        let none: [Lamp] = []
        #expect(ListFormat.table.lines(of: none).isEmpty)
        #expect(ListFormat.json.lines(of: none) == ["[]"])
        #expect(ListFormat.ndjson.lines(of: none).isEmpty)
    }

    @Test
    func `a cell longer than its column and a line longer than the screen end in an ellipsis`() {
        let lamps = [Lamp(name: "chandelier", room: "a long corridor")]
        #expect(TableText(lamps).lines().last == "chandel…      5  a long corridor")
        for width in 2..<31 {
            let line = TableText(lamps).lines(width: width, isColoured: true).last
            #expect(line?.count == width)
            #expect(line?.hasSuffix("…") == true)
        }
        #expect(TableText(lamps).lines(width: 32).last == "chandel…      5  a long corridor")
    }

    @Test func `a name orders nothing of the terminal and moves no column`() {
        let lamps = [Lamp(name: "\u{1B}[2J\n", room: "x"), Lamp(name: "b", room: "y")]
        let lines = TableText(lamps).lines(isColoured: true)
        #expect(lines == ["LAMP      WATTS  ROOM", "\\u001b[…      5  x", "b             5  y"])
    }

    @Test func `colours tell what a cell means, and take no room`() {
        let lamps = [Lamp(name: "a", isBroken: true), Lamp(name: "b")]
        let screen = Screen(width: 80, isColoured: true)
        #expect(
            ListFormat.table.lines(of: lamps, on: screen) == [
                "LAMP  WATTS", "\u{1B}[31ma   \u{1B}[0m      5", "b         5",
            ])
        for format in ListFormat.allCases {
            #expect(!format.lines(of: lamps).joined().contains("\u{1B}"))
        }
        for format in [ListFormat.json, .ndjson] {
            #expect(!format.lines(of: lamps, on: screen).joined().contains("\u{1B}"))
        }
    }

    @Test(arguments: [
        (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": ""], true),
        (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "dumb"], false), ([:], false),
    ])
    func `the environment forbids colours`(environment: [String: String], isWanted: Bool) {
        #expect(Screen.wantsColours(in: environment) == isWanted)
    }
}
