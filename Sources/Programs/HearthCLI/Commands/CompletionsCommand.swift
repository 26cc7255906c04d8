import ArgumentParser

/// `hearth completions`.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print the script by which a shell completes commands, paths and names.",
        discussion: """
            The Debian package installs it. By hand: `source <(hearth completions bash)`; for zsh, as \
            _hearth in a folder of fpath; `hearth completions fish | source`. Collections, documents, \
            pins, databases and batches are asked of the daemon, which tells you what you may read \
            and is never started for it.
            """)

    /// A shell that a script is for.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash
        case zsh
        case fish
    }

    @Argument(help: "The shell.")
    var shell: Shell

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell.rawValue) else { return }
        Terminal.order(CompletionScript.text(for: shell), to: .output)
    }
}
