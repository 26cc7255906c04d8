/// Words as a shell takes them.
enum ShellText {
    /// The text as one word of a command line: bare if no shell sees anything in it, else in single quotes.
    static func word(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(isBare) { return text }
        // By bytes: a mark behind a quote does not hide the quote.
        var bytes = [UInt8(ascii: "'")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") {
                bytes += Array(#"'\''"#.utf8)
            } else {
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "'"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The words of a line in the form that `word` writes; `nil` if a quote has no end.
    static func words(_ line: String) -> [String]? {
        var words: [String] = []
        var word: [UInt8]?
        var isQuoted = false
        var rest = Array(line.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "'"):
                isQuoted.toggle()
                word = word ?? []
            case UInt8(ascii: "\\") where !isQuoted:
                guard let next = rest.popFirst() else { return nil }
                word = (word ?? []) + [next]
            case UInt8(ascii: " ") where !isQuoted:
                if let word { words.append(String(decoding: word, as: UTF8.self)) }
                word = nil
            default: word = (word ?? []) + [byte]
            }
        }
        if let word { words.append(String(decoding: word, as: UTF8.self)) }
        return isQuoted ? nil : words
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: "-._/:,@%+".utf8.contains(byte)
        }
    }
}
