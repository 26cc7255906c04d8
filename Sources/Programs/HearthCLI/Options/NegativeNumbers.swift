/// Lets a negative number be a value on a command line, where ArgumentParser takes every word with a
/// dash for an option.
enum NegativeNumbers {
    /// The commands of `hearth rtdb` that take a value behind a place.
    private static let commands: Set<String> = ["set", "push", "transaction"]
    /// The options of these commands that take the next word, even if the word begins with `-`.
    static let valuedOptions: Set<String> = [
        "--priority", "--add", "--expect", "--until", "--wait", "--timeout", "--socket",
        "--instance",
    ]

    /// The options whose number is never negative. Each option refuses a negative number with an
    /// error of its own, so the option must get the word.
    private static let countingOptions: Set<String> = [
        "--limit", "--limit-to-first", "--limit-to-last", "--lines", "--timeout",
    ]

    /// The words with each option of a count and the negative number behind it made one word.
    ///
    /// ArgumentParser would call the number missing, and what is wrong is its sign.
    static func joined(_ words: [String]) -> [String] {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var joined: [String] = []
        for (index, word) in words.enumerated() {
            if index < end, let option = joined.last, countingOptions.contains(option),
                startsWithDigit(word)
            {
                joined[joined.endIndex - 1] = "\(option)=\(word)"
            } else {
                joined.append(word)
            }
        }
        return joined
    }

    /// The words with a space before each negative number that stands for a value.
    ///
    /// `ValueReader` passes spaces over, and ArgumentParser takes no such word for an option. The
    /// place comes first, and a space would belong to the place, so the first word stays as it is.
    static func marked(_ words: [String]) -> [String] {
        guard words.count > 2, words[0] == "rtdb", commands.contains(words[1]) else {
            return words
        }
        var marked = words
        var (hasPlace, isOperand) = (false, false)
        for (index, word) in words.enumerated().dropFirst(2) {
            if word == "--" { break }
            if isOperand {
                isOperand = false
            } else if valuedOptions.contains(word) {
                isOperand = true
            } else if hasPlace, isNegativeNumber(word) {
                marked[index] = " " + word
            } else if !word.hasPrefix("-") {
                hasPlace = true
            }
        }
        return marked
    }

    private static func isNegativeNumber(_ word: String) -> Bool {
        guard word.hasPrefix("-") else { return false }
        let value = try? ValueReader.read(Array(word.utf8), wideIntegers: .double)
        // A number that is too large also counts as a number: the command then says that the number
        // is too large.
        return value?.number != nil || startsWithDigit(word) && Double(word)?.isInfinite == true
    }

    /// Whether a digit follows the dash.
    private static func startsWithDigit(_ word: String) -> Bool {
        let bytes = Array(word.utf8.prefix(2))
        return bytes.count == 2 && bytes[0] == UInt8(ascii: "-")
            && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[1])
    }
}
