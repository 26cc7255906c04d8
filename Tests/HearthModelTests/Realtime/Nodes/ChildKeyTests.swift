import HearthModel
import HearthTestSupport
import Testing

struct ChildKeyTests {
    @Test(arguments: [
        "", "a.b", "a$", "#", "[x", "x]", "a/b", "a\u{0}", "\u{1F}", "\u{7F}",
        String(repeating: "k", count: 769), String(repeating: "é", count: 385),
    ])
    func `what the service refuses is no key`(text: String) {
        #expect(ChildKey(text) == nil)
        #expect(ChildKey.fault(of: text) != nil)
    }

    @Test(arguments: [
        "a", " ", "-", "é", "😀", "a b", "\u{80}", String(repeating: "k", count: 768),
    ])
    func `everything else is one`(text: String) {
        #expect(ChildKey(text)?.text == text)
    }

    @Test func `two spellings of a letter are two keys`() {
        #expect(ChildKey(unchecked: "\u{E9}") != ChildKey(unchecked: "e\u{301}"))
        #expect(Set([ChildKey(unchecked: "\u{E9}"), ChildKey(unchecked: "e\u{301}")]).count == 2)
    }

    /// From firebase-js-sdk's name-compare and its order of UTF-16, where a pair of surrogates comes
    /// before U+FFFD.
    @Test func `numbers come first by value, then texts by UTF-16`() {
        let sorted = [
            "-2147483648", "-9", "-1", "0", "-0", "00", "1", "01", "001", "2", "9", "10", "100",
            "2147483647", "-", "--1", "-2147483649", "0x1", "1 ", "12345678901", "1a", "2147483648",
            "A", "Z", "_", "a", "aa", "é", "\u{D7FF}", "😀", "\u{E000}", "\u{FFFD}",
        ].map { ChildKey(unchecked: $0) }
        for (i, left) in sorted.enumerated() {
            for (j, right) in sorted.enumerated() {
                let result = ChildKey.compare(left, right).signum()
                #expect(result == (i - j).signum(), "\(left) and \(right)")
            }
        }
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("007", 7), ("-07", -7), ("2147483647", Int32.max),
        ("-2147483648", Int32.min), ("0000000000000002147483647", Int32.max),
        ("00000000000", 0),
    ])
    func `a key of digits is a number, whatever zeros stand before it`(text: String, number: Int32)
    {
        #expect(ChildKey(unchecked: text).integer == number)
    }

    @Test(arguments: ["-", "", "+1", "1.0", "2147483648", "-2147483649", "99999999999", "1e3", "١"])
    func `other keys are none`(text: String) {
        #expect(ChildKey(unchecked: text).integer == nil)
    }

    @Test(arguments: 0..<4)
    func `the order by UTF-16 agrees with that of the units themselves`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let scalars: [Unicode.Scalar] = [
            "a", "z", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{F8FF}",
            "\u{FFFD}", "\u{10000}", "\u{1F600}", "\u{10FFFF}",
        ]
        func text() -> String {
            var text = ""
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "a")
            }
            return text
        }
        for _ in 0..<2_000 {
            let (left, right) = (text(), text())
            let expected = left.utf16.lexicographicallyPrecedes(right.utf16)
            #expect(UTF16Order.precedes(left, right) == expected, "\(left) \(right)")
        }
    }
}
