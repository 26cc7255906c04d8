import ArgumentParser
import Glibc

/// Answers shells.
///
/// A shell waits for the answer while a person waits for the shell. So the desk has a deadline; where
/// anything is in the way, the desk prints nothing, and the command ends well all the same.
enum CompletionDesk {
    /// How long the whole may take, in microseconds.
    private static let patience: UInt32 = 300_000

    /// Prints what could stand where the cursor is, in the form of the shell that asks.
    nonisolated(nonsending) static func answer(_ arguments: [String]) async {
        guard let request = CompletionRequest(arguments),
            let subject = subject(of: request), let shell,
            let typed = request.typed(in: shell), let connection = request.connection(in: shell),
            let options = try? OperatorOptions.parse(connection),
            DaemonPresence.mayBeAsked(at: options.socketPath)
        else { return }
        // Whatever waits then, be it the kernel: the process ends, having printed nothing.
        signal(SIGALRM) { _ in _exit(CommandStatus.success.rawValue) }
        ualarm(patience, 0)
        let candidates = try? await Candidates(options, ofLetters: request.has("dead-letters"))
            .list(of: subject, beginningWith: typed)
        ualarm(0, 0)
        Terminal.order(shell.answer(candidates ?? [], to: request.word), to: .output)
    }

    /// What the argument at the cursor is about; `nil` if no closure of ours says so.
    static func subject(of request: CompletionRequest) -> CompletionSubject? {
        do {
            _ = try HearthCommand.parseAsRoot(request.arguments)
            return nil
        } catch {
            let answer = HearthCommand.message(for: error)
            return CompletionSubject(rawValue: String(answer.prefix { !$0.isNewline }))
        }
    }

    /// The shell that asks, as its script says in the environment.
    ///
    /// bash must ask by our own function, because ArgumentParser's function expands the answer.
    private static var shell: CompletingShell? {
        guard let shell = CompletionShell.requesting,
            shell != .bash || getenv(CompletionScript.variable) != nil
        else { return nil }
        return CompletingShell(
            name: shell.rawValue, version: CompletionShell.requestingVersion ?? "")
    }
}
