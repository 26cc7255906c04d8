import ArgumentParser
import Hearth

/// `hearth rtdb export`.
struct RtdbExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print all at a place as JSON, so that import can read it.",
        discussion: """
            Priorities stand in .priority, as in the service's own export. The file takes the \
            place of an older one only when it is complete. Where nothing is, null is printed, \
            standard error says so, and the status is 0. JSON: path, output.
            """)

    @Argument(
        help: "The place; the root if nothing is said.", completion: CompletionSubject.place.kind)
    var path = "/"
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where to write; - for standard output.", valueName: "file"),
        completion: .file())
    var output = "-"
    @OptionGroup var instance: InstanceOptions

    func run() async throws {
        let session = try await InstanceSession.whenStarted(instance)
        let reference = try session.reference(path)
        let output = output
        let exists = try await session.attempt("export \(path)") {
            let snapshot = try await reference.getData()
            let file = try LineFile(output)
            let value = ValueLiteral(showing: snapshot, withPriorities: true)
            try file.put(ValueWriter.write(value, as: .json))
            try file.finish()
            return snapshot.exists()
        }
        if !exists, !instance.quiet {
            Terminal.write(TerminalText.line("Nothing is at \(path).") + "\n", to: .error)
        }
        if output == "-" || instance.quiet { return }
        Terminal.print(
            instance.json
                ? Report().with("path", path).with("output", output).line
                : "exported \(path) to \(output)")
    }
}
