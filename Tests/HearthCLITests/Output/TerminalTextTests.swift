import Testing

@testable import HearthCLI

struct TerminalTextTests {
    @Test func `what a terminal takes for an order is written as JSON would`() {
        let name = "rooms/\u{1B}[2J\u{7F}\u{9B}31m\u{202E}x\r"
        #expect(
            TerminalText.line(name) == "rooms/\\u001b[2J\\u007f\\u009b31m\\u202ex\\r")
        #expect(Report().with("path", name).line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }

    @Test func `a name of several lines is one line of a table`() {
        #expect(TerminalText.line("a\nb\tc") == "a\\nb\\tc")
        #expect(TerminalText.lines("a\nb\tc\u{7}\n") == "a\nb\tc\\u0007\n")
    }

    @Test func `letters of all scripts stay as they are`() {
        let name = "Müller/日本/e\u{301}/🔥"
        #expect(TerminalText.line(name).utf8.elementsEqual(name.utf8))
    }

    @Test func `a line that takes the place of others orders nothing that a name says`() {
        var redraw = Redraw(isWanted: true)
        _ = redraw.text(of: ["a"], isInPlace: true, width: 80)
        #expect(
            redraw.text(of: ["\u{1B}]0;x\u{7}"], isInPlace: true, width: 80)
                == "\u{1B}[1A\u{1B}[J\\u001b]0;x\\u0007\n")
    }

    @Test func `a path is split by bytes`() throws {
        let path = try #require(PathText("rooms/\u{301}hall/lamps"))
        #expect(path.segments.count == 3)
        #expect(PathText("a//b") == nil)
    }
}
