import Testing

@testable import HearthCLI

struct CompletingShellTests {
    private static let fish4 = CompletingShell.fish(givesPlainWords: false)
    private static let fish3 = CompletingShell.fish(givesPlainWords: true)

    @Test func `a shell is known by its name, and an old fish by its version`() {
        #expect(CompletingShell(name: "bash", version: "5 2 15") == .bash)
        #expect(CompletingShell(name: "zsh", version: "5.9") == .zsh)
        #expect(CompletingShell(name: "fish", version: "3.6.0") == Self.fish3)
        #expect(CompletingShell(name: "fish", version: "4.0.2") == Self.fish4)
        #expect(CompletingShell(name: "tcsh", version: "6") == nil)
    }

    @Test(arguments: [
        ("rooms/hall", "rooms/hall"), (#"a\ b"#, "a b"), (#""a b"#, "a b"), ("'a b", "a b"),
        (#"'a'"b"c"#, "abc"), (#""a\"b\$c\d""#, #"a"b$c\d"#), (#"'$(x)`'"#, "$(x)`"),
        (#"\$\(x\)"#, "$(x)"), (#"a\"#, "a"), (#"\n"#, "n"),
    ])
    func `a word is read as bash and zsh read it`(word: String, text: String) {
        #expect(CompletingShell.bash.text(of: word) == text)
        #expect(CompletingShell.zsh.text(of: word) == text)
    }

    @Test(arguments: ["$HOME", "a$(x)", "`x`", #""$(x)"#, "\"`x`", "<(x)", "{a,b}", "$'x'"])
    func `what only the shell could tell is not guessed, and not run`(word: String) {
        #expect(CompletingShell.bash.text(of: word) == nil)
        #expect(CompletingShell.zsh.text(of: word) == nil)
        #expect(Self.fish4.text(of: word) == nil)
    }

    @Test func `fish escapes in single quotes too, and letters stand for others`() {
        #expect(Self.fish4.text(of: #"'a\'b\\c\d"#) == #"a'b\c\d"#)
        #expect(Self.fish4.text(of: #"a\ b"#) == "a b")
        #expect(Self.fish4.text(of: #"a\x41"#) == nil)
        #expect(Self.fish3.text(of: "a b'$(c)") == "a b'$(c)")
    }

    @Test(arguments: [
        ("a b", #"a\ b"#), ("$(x)", #"\$\(x\)"#), ("it's", #"it\'s"#), ("a:b=c@d", #"a\:b\=c\@d"#),
        ("é中", "é中"), ("~`;&|<>*?[]{}#!", ##"\~\`\;\&\|\<\>\*\?\[\]\{\}\#\!"##),
        // With an accent behind it, a sign is another character, and still the sign to the shell.
        ("'\u{301}$\u{301}(x)", "\\'\u{301}\\$\u{301}\\(x\\)"),
    ])
    func `bash is given names as they are to be typed`(name: String, line: String) {
        #expect(CompletingShell.bash.answer([name], to: "").utf8.elementsEqual("\(line)\n".utf8))
    }

    @Test func `behind an open quote bash is given names as they are to be typed there`() {
        let names = ["a b$(c)`\"'\\"]
        #expect(CompletingShell.bash.answer(names, to: "\"a") == #"a b\$(c)\`\"'\\"# + "\n")
        #expect(CompletingShell.bash.answer(names, to: "'a") == #"a b$(c)`"'\''\"# + "\n")
    }

    @Test func `behind an open double quote bash is given no name that has its sign of history`() {
        let names = ["hall!!", "attic", "!\u{301}"]
        #expect(CompletingShell.bash.answer(names, to: "\"") == "attic\n")
        #expect(CompletingShell.bash.answer(["hall!!"], to: "'") == "hall!!\n")
        #expect(CompletingShell.bash.answer(["hall!!"], to: "") == #"hall\!\!"# + "\n")
        #expect(CompletingShell.zsh.answer(["hall!!"], to: "\"") == "hall!!\n \n")
    }

    @Test func `bash puts an answer in the place of a word with no quote but an open one in front`()
    {
        for word in ["rooms/a", #""rooms/a b"#, "'rooms/a", #"rooms/a\'b"#, #""rooms/a\"b"#, ""] {
            #expect(CompletingShell.bash.replaces(word), "\(word)")
        }
        for word in [#"rooms/"a b"#, #""rooms"/a"#, "rooms/'a", #"'rooms/a\'b"#] {
            #expect(!CompletingShell.bash.replaces(word), "\(word)")
            #expect(CompletingShell.zsh.replaces(word))
        }
    }

    @Test func `zsh is given colons that part nothing, and a last line that its script takes away`()
    {
        #expect(CompletingShell.zsh.answer([#"a:b\c"#], to: "") == "a\\:b\\\\c\n \n")
        #expect(CompletingShell.zsh.answer([], to: "") == "")
    }

    @Test func `fish is given names as they are`() {
        #expect(Self.fish3.answer(["a b", "$(x)"], to: "") == "a b\n$(x)\n")
    }

    @Test(arguments: ["a\nb", "a\tb", "a\u{1B}[31m", "a\u{202E}b", "a\u{9B}", "-a", "", "\u{FFFD}"])
    func `a name that is an order or an option is left out`(name: String) {
        for shell in [.bash, .zsh, Self.fish3, Self.fish4] {
            #expect(shell.answer([name], to: "") == "")
        }
    }
}
