/// Values of a command line.
extension ValueReader {
    /// Reads one value of a command line, where text needs no quotes if nothing else it could be.
    ///
    /// Text that looks like a tagged form, a string, an array, a map or a number must be one: a
    /// slip in `increment(5` is told, not stored.
    static func readArgument(
        _ text: String, wideIntegers: WideIntegers = .refused
    ) throws(ValueSyntaxError) -> ValueLiteral {
        let trimmed = Array(text.utf8)
        guard let first = trimmed.first(where: { !isSpace($0) }) else { return .string(text) }
        let opensValue = first == 0x22 || first == 0x5B || first == 0x7B
        if opensValue || startsLikeForm(trimmed) || isNumber(trimmed) {
            return try read(trimmed, wideIntegers: wideIntegers)
        }
        do throws(ValueSyntaxError) {
            return try read(trimmed)
        } catch {
            return .string(text)
        }
    }

    private static func startsLikeForm(_ bytes: [UInt8]) -> Bool {
        let word = bytes.drop(while: isSpace).prefix(while: isWordPart)
        let rest = bytes[word.endIndex...]
        return !word.isEmpty && rest.first == UInt8(ascii: "(")
    }

    /// Whether bytes are a number of JSON, however large, with white space before and behind.
    private static func isNumber(_ bytes: [UInt8]) -> Bool {
        var rest = bytes.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        func skipDigits() -> Int {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest.removeFirst(digits.count)
            return digits.count
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let count = skipDigits()
        if count == 0 || startsWithZero && (count > 1 || rest.isEmpty) { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            if skipDigits() == 0 { return false }
        }
        if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest.removeFirst()
            }
            if skipDigits() == 0 { return false }
        }
        return rest.isEmpty
    }
}
