/// Values of a command line.
extension ValueReader {
    /// Reads one value of a command line, where text needs no quotes if nothing else it could be.
    ///
    /// Text that looks like a tagged form, a string, an array, a map or an integer must be one: a
    /// slip in `increment(5` is told, not stored.
    static func readArgument(
        _ text: String, wideIntegers: WideIntegers = .refused
    ) throws(ValueSyntaxError) -> ValueLiteral {
        let trimmed = Array(text.utf8)
        guard let first = trimmed.first(where: { !isSpace($0) }) else { return .string(text) }
        let opensValue = first == 0x22 || first == 0x5B || first == 0x7B
        if opensValue || startsLikeForm(trimmed) || isInteger(trimmed) {
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

    /// Whether bytes are an integer of JSON, however long, with white space before and behind.
    private static func isInteger(_ bytes: [UInt8]) -> Bool {
        var digits = bytes.drop(while: isSpace)
        if digits.first == UInt8(ascii: "-") { digits.removeFirst() }
        while let last = digits.last, isSpace(last) { digits.removeLast() }
        return digits.first != UInt8(ascii: "0") && !digits.isEmpty
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
