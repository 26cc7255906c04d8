/// A shell's question: what could stand where the cursor is.
///
/// Shape: `---completion COMMAND... -- ARGUMENT INDEX CURSOR WORD...`, as the scripts of
/// ArgumentParser ask; INDEX is the word of the cursor, CURSOR the cursor's place in the word. The
/// words come as they are typed, with quotes.
struct CompletionRequest: Hashable {
    /// The first argument of such a question.
    static let mark = "---completion"
    /// The most bytes of a word that is looked at; no path is longer.
    private static let wordByteCountMax = 1 << 14

    /// The whole, as ArgumentParser reads it.
    let arguments: [String]
    private let words: [String]
    private let index: Int
    private let cursor: Int

    /// Reads a question; `nil` for arguments that are none.
    init?(_ arguments: [String]) {
        guard arguments.first == Self.mark, let end = arguments.firstIndex(of: "--"),
            arguments.count > end + 4, let index = Int(arguments[end + 2]),
            let cursor = Int(arguments[end + 3])
        else { return nil }
        let words = Array(arguments[(end + 4)...])
        guard words.indices.contains(index), cursor >= 0 else { return nil }
        self.arguments = arguments
        self.words = words
        self.index = index
        self.cursor = cursor
    }

    /// The text before the cursor, of its word.
    ///
    /// - Returns: `nil` if the text cannot be told without the shell. bash parts words at a colon, at
    ///   an equals sign and at an at sign that are not quoted, and then only a part of the name is
    ///   known.
    func typed(in shell: CompletingShell) -> String? {
        guard word.utf8.count <= Self.wordByteCountMax, shell.replaces(word),
            shell != .bash || !(isMark(index) || isMark(index - 1))
        else { return nil }
        return shell.text(of: word)
    }

    /// The word of the cursor up to the cursor, as it is typed.
    var word: String {
        // Whoever cannot tell the place of the cursor says 0.
        cursor == 0 ? words[index] : String(words[index].unicodeScalars.prefix(cursor))
    }

    /// Whether a word is a sign alone, at which bash has parted a longer word.
    private func isMark(_ index: Int) -> Bool {
        guard words.indices.contains(index), !words[index].isEmpty else { return false }
        return words[index].unicodeScalars.allSatisfy { $0 == ":" || $0 == "=" || $0 == "@" }
    }

    /// Whether a word of the line is this one.
    func has(_ word: String) -> Bool { words.contains(word) }

    /// The arguments that name the daemon and the database, without quotes.
    ///
    /// - Returns: `nil` if one cannot be told without the shell.
    func connection(in shell: CompletingShell) -> [String]? {
        var arguments: [String] = []
        for name in ["--socket", "--database", "--instance"] {
            guard let value = value(of: name) else { continue }
            guard let text = shell.text(of: value) else { return nil }
            arguments += [name, text]
        }
        return arguments
    }

    /// The word behind an option, wherever the shell parts words; `nil` if the option is not there, or
    /// is being typed.
    private func value(of option: String) -> String? {
        for (place, word) in words.enumerated() {
            if word.utf8.starts(with: (option + "=").utf8), place != index {
                return String(word.unicodeScalars.dropFirst(option.unicodeScalars.count + 1))
            }
            guard word == option, place + 1 < words.count else { continue }
            let next = place + (words[place + 1] == "=" ? 2 : 1)
            return next < words.count && next != index ? words[next] : nil
        }
        return nil
    }
}
