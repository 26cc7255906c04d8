import ArgumentParser
import Hearth

/// `hearth queue edit`.
struct QueueEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Give a batch other writes.",
        discussion: """
            Its number, its place and its writer stay, and every program sees the difference at \
            once. The file holds a list of writes, or what `hearth queue show --json` printed; \
            the help of show tells how a write looks. JSON: batch.
            """)

    @Argument(
        help: "The batch.", completion: CompletionSubject.batch.kind,
        transform: BatchRange.parseNumber)
    var number: Int64
    @Argument(help: "The file; - for standard input.", completion: .file())
    var file = "-"
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        let literals = try WriteText.read(try InputFile.read(file), from: file)
        let session = try await OperatorSession.open(connection)
        try await session.attempt("edit batch \(number)") { [number] in
            try await session.database.editBatch(number, to: literals)
        }
        BatchArguments.report([number], "edited", connection)
    }
}
