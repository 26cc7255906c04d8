/// Lets a negative number be a value on a command line, where ArgumentParser takes every word with a
/// dash for an option.
enum NegativeNumbers {
    /// The commands of `hearth rtdb` that take a value behind a place.
    private static let commands: Set<String> = ["set", "push", "transaction"]
    /// The options of these commands that take the next word, whatever that is.
    static let valuedOptions: Set<String> = [
        "--priority", "--add", "--expect", "--until", "--wait", "--timeout", "--socket",
        "--instance",
    ]

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
        return value?.number != nil
    }
}
