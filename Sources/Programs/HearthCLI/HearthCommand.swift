import ArgumentParser
import Glibc

/// `hearth`: reads, writes, listens, and asks the daemon how it is.
struct HearthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hearth",
        abstract: """
            Read, write and listen to Firestore, and to the Realtime Database (rtdb), through this \
            machine's Hearth daemon.
            """,
        discussion: """
            Values: null, true, 12, 1.5, "text", [1,2], {"a":1}, and for the types that JSON lacks \
            timestamp(2026-01-02T03:04:05.123456Z), bytes(BASE64), geo(52.5,13.4), \
            ref(rooms/hall), vector(1,2,3), NaN, Infinity. In writes also serverTimestamp(), \
            increment(5), maximum(5), minimum(5), arrayUnion(...), arrayRemove(...), delete(). A \
            value that is nothing else is text.

            In JSON the same types are {"$timestamp":"..."}, {"$bytes":"..."}, {"$geo":[..]}, \
            {"$ref":"..."}, {"$vector":[..]}, {"$double":"NaN"}, {"$increment":5} and so on; \
            doubles always have a point or an exponent, integers never. What --json prints can be \
            read back.

            Exit status: 0 done, 1 failed, 3 no daemon is running, 4 no access, 10 try again \
            (offline or busy), 64 wrong usage, 124 time is up. Commands that read or write give a \
            daemon that is being started 5 s to come. A command ends with 124 when its --timeout is \
            up, and at the latest once the daemon has answered nobody for 20 s. After its first \
            answer, listen goes on however long nobody answers; watch and top show that nobody \
            does; wait --timeout asks again until the time is up. hearth --version prints the \
            version.
            """,
        subcommands: [
            GetCommand.self, SetCommand.self, UpdateCommand.self, DeleteCommand.self,
            QueryCommand.self, AggregateCommand.self, ListenCommand.self, CollectionsCommand.self,
            DescribeCommand.self, HistoryCommand.self, PinCommand.self, PinsCommand.self,
            UnpinCommand.self,
            ImportCommand.self,
            ExportCommand.self,
            BundleCommand.self, IndexCommand.self, RtdbCommand.self, StatusCommand.self,
            WatchCommand.self,
            DoctorCommand.self, QueueCommand.self, DeadLettersCommand.self, NetworkCommand.self,
            AuthCommand.self, ConsoleCommand.self,
            WaitCommand.self, ClientsCommand.self, ListenersCommand.self, MetricsCommand.self,
            LedgerCommand.self, TopCommand.self,
            LogsCommand.self, ReloadCommand.self,
            BackupCommand.self, RestoreCommand.self, ForkCommand.self,
            CompletionsCommand.self,
        ])

    private static func sentence(_ text: String) -> String {
        text.oneLine + (text.last.map { ".!?".contains($0) } == true ? "" : ".")
    }

    /// What is wrong with the words of a command line whose first is no command; `nil` if it is one.
    static func complaint(about words: [String]) -> String? {
        let words = words.first == "help" ? words.dropFirst() : words[...]
        guard let word = words.first, !word.hasPrefix("-"), word != "help",
            !configuration.subcommands.contains(where: { $0.configuration.commandName == word })
        else { return nil }
        return "There is no command \"\(word)\". `hearth help` lists them."
    }

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == CompletionRequest.mark { return await CompletionDesk.answer(words) }
        if let complaint =
            CommandLineTool.complaint(about: CommandLineTool.words) ?? complaint(about: words)
        {
            Terminal.write("hearth: \(complaint)\n", to: .error)
            Glibc.exit(CommandStatus.usage.rawValue)
        }
        do {
            if words.first == "--version" {
                throw DaemonProgram.execute(["hearthd", "--version"], to: "tell the version")
            }
            var command = try parseAsRoot(NegativeNumbers.marked(NegativeNumbers.joined(words)))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as Failure {
            if let message = failure.message {
                Terminal.write("hearth: \(message)\n", to: .error)
            }
            Glibc.exit(failure.status.rawValue)
        } catch  where exitCode(for: error) == .success {
            exit(withError: error)  // Help was asked for.
        } catch {
            Terminal.write("hearth: \(sentence(message(for: error))) See --help.\n", to: .error)
            Glibc.exit(exitCode(for: error).rawValue)
        }
    }
}
