import ArgumentParser
import Hearth

/// `hearth rtdb transaction`.
struct RtdbTransactionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transaction",
        abstract: "Change a place by what is there, with nothing in between.",
        discussion: """
            Either --add counts a number up, or --expect writes a value only if another is there: \
            null means that nothing is. Waits for the backend, without --timeout however long. \
            Ends with status 1 if something else was there. JSON: path, committed, value.
            """)

    @Argument(
        help: "The place, such as votes/7.", completion: CompletionSubject.place.kind)
    var path: String
    @Argument(help: "With --expect: the value to write; null removes.")
    var value: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Add a number to what is there.", valueName: "number"),
        transform: Self.number)
    var add: Double?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Write only if this is there.", valueName: "value"),
        transform: { try ValueReader.readArgument($0, wideIntegers: .double) })
    var expect: ValueLiteral?
    @Option(
        help: ArgumentHelp(
            "How long the command may take, such as 30s. Then it ends with status 124, and the change "
                + "may still happen.", valueName: "time"),
        transform: DurationText.parse)
    var timeout: DurationText?
    @OptionGroup var instance: InstanceOptions

    func validate() throws {
        guard (add == nil) != (expect == nil) else {
            throw ValidationError("A transaction takes either --add or --expect.")
        }
        if (value != nil) != (expect != nil) {
            throw ValidationError("--expect needs the value to write, and --add needs none.")
        }
    }

    func run() async throws {
        let change = try change()
        let session = try await InstanceSession.whenStarted(
            instance, timeout: timeout?.duration)
        let reference = try session.reference(path)
        let (isCommitted, snapshot) = try await session.attempt(
            "change \(path)", timeout: timeout?.duration
        ) {
            try await reference.runTransactionBlock { change.run($0) }
        }
        let value = ValueLiteral(showing: snapshot)
        if instance.json {
            Terminal.print(
                Report().with("path", path).with("committed", isCommitted).with("value", value)
                    .line)
        } else if !instance.quiet {
            let word = isCommitted ? "committed" : "not committed, for there is"
            Terminal.print("\(word) \(ValueWriter.write(value, as: .json))")
        }
        if !isCommitted { throw Failure(silently: .failed) }
    }

    private static func number(_ text: String) throws -> Double {
        if let number = Double(text), number.isFinite { return number }
        throw ValidationError("write a number, such as 5 or -0.5")
    }

    private func change() throws(Failure) -> TransactionChange {
        if let add { return .add(add) }
        guard let expect, let value else { preconditionFailure("validate() has let this in") }
        let wanted = try ValueArgument.read(value)
        _ = try wanted.treeValue()
        return .replace(expect, by: wanted)
    }
}
