import ArgumentParser
import Hearth

/// `hearth listen`.
struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print a document or a query now, and whenever it changes.",
        discussion: """
            Goes on through restarts of the daemon and loss of the network, until it is stopped. On \
            a terminal the results are kept up to date in their place; --lines prints each snapshot \
            below the last, as in a pipe and in the background. \
            Signs: + added, ~ modified, - removed. With --format ndjson or json an object for each \
            change: snapshot, type (added, modified, removed; none if only isFromCache or \
            hasPendingWrites of the whole changed; rejected, with batch, error, code), path, \
            oldIndex, newIndex, fields, isFromCache, hasPendingWrites. With --json an object for each \
            snapshot instead; of a query: snapshot, count, isFromCache, hasPendingWrites, changes, each with type, path, \
            oldIndex, newIndex, hasPendingWrites, fields; of a document: snapshot, path, exists, \
            fields, isFromCache, hasPendingWrites. A snapshot in which rejected writes are undone \
            names them: ! and the batch's number; in JSON rejectedWrites, each with batch, error, code.
            """)

    @Argument(
        help: "The document or the collection, such as rooms/hall or rooms.",
        completion: CompletionSubject.path.kind, transform: DocumentPath.parseAny)
    var path: PathText
    @OptionGroup var options: QueryOptions
    @Flag(help: "Also tell when only isFromCache or hasPendingWrites change.")
    var metadata = false
    @Flag(help: "Listen to the cache alone.")
    var cacheOnly = false
    @Flag(help: "Print each snapshot's changes, on a terminal too.")
    var lines = false
    @Option(
        help: ArgumentHelp("Stop after so many snapshots.", valueName: "n"),
        transform: WholeNumber.positive)
    var count: Int?
    @OptionGroup var form: StreamFormatOption
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if path.isDocument, !options.isEmpty {
            throw ValidationError(
                "\(path) is a document; conditions and orders are for collections.")
        }
    }

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let listenOptions = SnapshotListenOptions().withIncludeMetadataChanges(metadata)
            .withSource(cacheOnly ? .cache : .default)
        let (path, options, json, metadata) = (path, options, connection.json, metadata)
        let count = count ?? .max
        let format = form.format
        let isForPeople = format.map { $0 == .table } ?? !json
        let screen = Redraw(isWanted: isForPeople && !lines)
        try await session.attempt("listen to \(path)", followsRestarts: true) {
            if path.isDocument {
                let snapshots = try session.document(path).snapshots(options: listenOptions)
                var existed = false
                try await Self.follow(snapshots, count, screen) { number, snapshot, isInPlace in
                    guard let format else { return Self.lines(snapshot, number, json: json) }
                    let text = SnapshotText(snapshot, number: number, existed: existed)
                    existed = snapshot.exists
                    return Self.lines(text, as: format, isInPlace: isInPlace)
                }
            } else {
                let query = try options.query(path, in: session.firestore)
                let snapshots = query.snapshots(options: listenOptions)
                try await Self.follow(snapshots, count, screen) { number, snapshot, isInPlace in
                    let text = SnapshotText(
                        snapshot, number: number, withMetadata: metadata)
                    if let format { return Self.lines(text, as: format, isInPlace: isInPlace) }
                    if isInPlace { return text.screen(lineCountMax: Terminal.height(.output)) }
                    return json ? [text.report.line] : text.lines
                }
            }
        }
    }

    private static func follow<Snapshot>(
        _ snapshots: SnapshotSequence<Snapshot>, _ count: Int, _ screen: Redraw,
        lines: (Int, Snapshot, _ isInPlace: Bool) -> [String]
    ) async throws {
        var number = 0
        var screen = screen
        for try await snapshot in snapshots {
            number += 1
            screen.show { lines(number, snapshot, $0) }
            if number == count { return }
        }
    }

    private static func lines(
        _ text: SnapshotText, as format: ListFormat, isInPlace: Bool
    ) -> [String] {
        guard format == .table else { return StreamFormatOption.lines(of: text.events, as: format) }
        // Lines that are written over have no colours: their width could not be told.
        return isInPlace
            ? text.table(on: Screen(), lineCountMax: Terminal.height(.output))
            : text.table(on: Screen())
    }

    private static func lines(
        _ snapshot: DocumentSnapshot, _ number: Int, json: Bool
    ) -> [String] {
        let text = DocumentText(snapshot)
        let rejectedWrites = snapshot.metadata.rejectedWrites
        guard json else { return ["snapshot \(number):"] + rejectedWrites.lines + text.lines }
        return [
            Report().with("snapshot", number).with("path", text.path)
                .with("exists", text.fields != nil).with("fields", text.fields ?? .null)
                .with("isFromCache", text.isFromCache)
                .with("hasPendingWrites", text.hasPendingWrites).with(rejectedWrites).line
        ]
    }
}
