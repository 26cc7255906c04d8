import ArgumentParser
import Testing

@testable import HearthCLI

struct CompletionScriptTests {
    @Test func `no answer of the daemon comes to what expands words in bash`() {
        let script = CompletionScript.text(for: .bash)
        #expect(!script.hasPrefix("#!"))
        for line in script.split(separator: "\n") where line.contains("$(") {
            #expect(!(line.contains("compgen") && line.contains("custom_complete")))
            #expect(!(line.contains("add_completions") && line.contains("custom_complete")))
        }
        let questions = script.ranges(
            of: "__hearth_add_names \"$(HEARTH_COMPLETION=1 __hearth_custom_complete ")
        #expect(questions.count > 30)
        #expect(script.contains("__hearth_add_names() {"))
    }

    @Test func `zsh has our function behind the one that it replaces, before the script runs`()
        throws
    {
        let script = CompletionScript.text(for: .zsh)
        #expect(script.hasPrefix("#compdef hearth\n"))
        let names = ["__hearth_complete() {", "__hearth_cursor_index_in_current_word() {"]
        let run = try #require(script.firstRange(of: "\nif [[ \"${funcstack[1]}\""))
        for name in names {
            let functions = script.ranges(of: name)
            #expect(functions.count == 2)
            #expect(functions.allSatisfy { $0.upperBound < run.lowerBound })
        }
        #expect(script.contains("open_ended -S ''"))
    }

    @Test func `every shell has a script, which the command prints`() throws {
        for shell in CompletionsCommand.Shell.allCases {
            let parsed = try HearthCommand.parseAsRoot(["completions", shell.rawValue])
            #expect((parsed as? CompletionsCommand)?.shell == shell)
            let known = try #require(CompletionShell(rawValue: shell.rawValue))
            #expect(CompletionScript.text(for: known).contains("---completion get -- positional@0"))
        }
        #expect(throws: (any Error).self) { try HearthCommand.parseAsRoot(["completions", "csh"]) }
    }
}
