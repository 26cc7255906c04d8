import ArgumentParser
import Hearth

/// `hearth rtdb listen`.
struct RtdbListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print what is at a place now, and whenever it changes.",
        discussion: """
            Goes on through restarts of the daemon and loss of the network, until it is stopped. \
            With --children there is a line for each child that is added (+), changed (~), moved \
            (>) or removed (-), instead of the whole value. Places below .info are the daemon's: \
            .info/connected, .info/serverTimeOffset. JSON, an object for each event: event (value, childAdded, childChanged, \
            childMoved, childRemoved), key, value, and with --children previousKey.
            """)

    @Argument(
        help: "The place, such as rooms; / is the root.", completion: CompletionSubject.place.kind)
    var path: String
    @OptionGroup var query: ChildQueryOptions
    @Flag(help: "Tell of each child.")
    var children = false
    @Option(
        help: ArgumentHelp("Stop after so many events.", valueName: "n"),
        transform: WholeNumber.positive)
    var count: Int?
    @OptionGroup var form: StreamFormatOption
    @OptionGroup var instance: InstanceOptions

    func run() async throws {
        let session = try await InstanceSession.whenStarted(instance)
        let query = try query.query(try session.reference(path))
        let format = form.format ?? (instance.json ? .ndjson : .table)
        let (children, count) = (children, count ?? .max)
        try await session.attempt("listen to \(path)", followsRestarts: true) {
            let events =
                children
                ? query.events(.childAdded, .childChanged, .childMoved, .childRemoved)
                : query.events(.value)
            var number = 0
            for try await event in events {
                Terminal.order(Self.line(of: event, as: format) + "\n", to: .output)
                number += 1
                if number == count { return }
            }
        }
    }

    /// The line that tells of an event.
    static func line(of event: DatabaseEvent, as format: ListFormat) -> String {
        let value = ValueLiteral(showing: event.snapshot)
        if format != .table {
            let report = Report().with("event", event.type.word).with("key", event.snapshot.key)
                .with("value", value)
            let whole =
                event.type == .value
                ? report : report.with("previousKey", event.previousSiblingKey)
            return StreamFormatOption.lines(of: [whole], as: format).joined()
        }
        let text = ValueWriter.write(value, as: .json)
        guard event.type != .value else { return text }
        return TerminalText.line("\(event.type.sign) \(event.snapshot.key) \(text)")
    }
}
