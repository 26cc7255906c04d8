import ArgumentParser
import Hearth

/// `hearth rtdb get`.
struct RtdbGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print what is at a place, or some of its children.",
        discussion: """
            What an observer or a write of this machine makes known wholly answers at once, then \
            the backend, then the cache. JSON: path, exists, value. Ends with status 1 if nothing \
            is there, and with 124 if the time of --timeout is up.
            """)

    @Argument(
        help: "The place, such as rooms/hall; / is the root.",
        completion: CompletionSubject.place.kind)
    var path: String
    @OptionGroup var query: ChildQueryOptions
    @Flag(help: "Print priorities too, in the form that set reads.")
    var priorities = false
    @OptionGroup var patience: TimeoutOption
    @OptionGroup var form: ResultFormatOption
    @OptionGroup var instance: InstanceOptions

    func run() async throws {
        let session = try await InstanceSession.whenStarted(instance, timeout: patience.span)
        let query = try query.query(try session.reference(path))
        let snapshot = try await session.attempt("read \(path)", timeout: patience.span) {
            try await query.getData()
        }
        let value = ValueLiteral(showing: snapshot, withPriorities: priorities)
        let format = form.chosen(json: instance.json)
        if format == .json || format == .ndjson {
            Terminal.print(
                Report().with("path", path).with("exists", snapshot.exists()).with("value", value)
                    .line)
        } else if snapshot.exists(), format == .table {
            ValueRow.printTable(
                ValueRow.rows(of: value, named: path), isQuiet: instance.quiet)
        } else if snapshot.exists() {
            Terminal.print(ValueWriter.write(value, as: .json))
        } else if !instance.quiet {
            Terminal.write("Nothing is at \(path).\n", to: .error)
        }
        if !snapshot.exists() { throw Failure(silently: .failed) }
    }
}
