import HearthModel
import HearthTestSupport
import Testing

struct UTF8TextTests {
    @Test func `strings are ordered by their bytes, not by UTF-16 units`() {
        // In UTF-16 the surrogates of U+10000 would come before U+E000 and U+FFFD.
        #expect(utf8Precedes("\u{E000}", "\u{10000}"))
        #expect(utf8Precedes("\u{FFFD}", "\u{1F600}"))
        #expect(utf8Precedes("z", "\u{E9}"))
    }

    @Test func `a string comes before its continuations`() {
        #expect(utf8Compare("", "a") < 0)
        #expect(utf8Compare("a", "a\0") < 0)
        #expect(utf8Compare("a\0", "aa") < 0)
        #expect(utf8Compare("12345678", "123456789") < 0)
        #expect(utf8Compare("a", "a") == 0)
    }

    @Test func `spellings that Unicode holds equivalent differ`() {
        #expect(!utf8Equals("\u{E9}", "e\u{301}"))
        #expect(!utf8Equals("\u{212B}", "\u{C5}"))
        #expect(utf8Precedes("e\u{301}", "\u{E9}"))
        #expect(UTF8Text("\u{E9}") != UTF8Text("e\u{301}"))
        #expect(Set([UTF8Text("\u{E9}"), UTF8Text("e\u{301}"), UTF8Text("\u{E9}")]).count == 2)
        #expect(UTF8Text("e\u{301}") < UTF8Text("\u{E9}"))
        #expect("\(UTF8Text("x"))" == "x")
    }

    @Test(arguments: 0..<24)
    func `a difference is found at every distance from the start`(length: Int) {
        let head = String(repeating: "x", count: length)
        for tail in ["", "y", "yyyyyyyyyyyyyyyy"] {
            #expect(utf8Compare(head + "a" + tail, head + "b") < 0)
            #expect(utf8Compare(head + "b", head + "a" + tail) > 0)
            #expect(utf8Compare(head + "\u{7F}" + tail, head + "\u{80}") < 0)
            #expect(utf8Compare(head + tail, head + tail) == 0)
            #expect(compareBytes(Array(head.utf8) + [0x7F], Array(head.utf8) + [0x80]) < 0)
        }
    }

    @Test func `bytes are unsigned and the shorter run comes first`() {
        #expect(compareBytes([], []) == 0)
        #expect(compareBytes([], [0]) < 0)
        #expect(compareBytes([0x7F], [0x80]) < 0)
        #expect(compareBytes([0xFF], [0xFF, 0]) < 0)
        #expect(compareBytes([0xFF, 0], [0xFF]) > 0)
    }

    @Test func `random strings are ordered as their arrays of bytes`() {
        var random = SeededGenerator(seed: 7)
        let scalars: [Unicode.Scalar] = ["\0", "a", "b", "\u{7F}", "\u{80}", "\u{E9}", "\u{10000}"]
        func text() -> String {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                text.append(random.pick(scalars.dropLast(Bool.random(using: &random) ? 5 : 0)))
            }
            return String(text)
        }
        for _ in 0..<2_000 {
            let (left, right) = (text(), text())
            let isBefore = left.utf8.lexicographicallyPrecedes(right.utf8)
            #expect(utf8Precedes(left, right) == isBefore)
            #expect(utf8Equals(left, right) == left.utf8.elementsEqual(right.utf8))
        }
    }
}
