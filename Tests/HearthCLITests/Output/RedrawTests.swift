import Testing

@testable import HearthCLI

struct RedrawTests {
    private var redraw = Redraw(isWanted: true)

    @Test mutating func `on a terminal new lines take the place of the last ones`() {
        #expect(redraw.text(of: ["a", "b"], isInPlace: true, width: 80) == "a\nb\n")
        #expect(redraw.text(of: ["c"], isInPlace: true, width: 80) == "\u{1B}[2A\u{1B}[Jc\n")
        #expect(redraw.text(of: ["d"], isInPlace: true, width: 80) == "\u{1B}[1A\u{1B}[Jd\n")
    }

    @Test mutating func `a line that would break is cut, so that the count is right`() {
        #expect(redraw.text(of: ["abcdef"], isInPlace: true, width: 4) == "abc…\n")
    }

    @Test mutating func `in a pipe lines follow one another whole`() {
        #expect(redraw.text(of: ["abcdef"], isInPlace: false, width: 4) == "abcdef\n")
        #expect(redraw.text(of: ["b"], isInPlace: false, width: 4) == "b\n")
    }

    @Test mutating func `what came from the background is not written over afterwards`() {
        _ = redraw.text(of: ["a", "b"], isInPlace: true, width: 80)
        #expect(redraw.text(of: ["c"], isInPlace: false, width: 80) == "c\n")
        #expect(redraw.text(of: ["d"], isInPlace: true, width: 80) == "d\n")
    }
}
