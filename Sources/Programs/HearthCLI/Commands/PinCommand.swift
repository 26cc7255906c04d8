import ArgumentParser
import Hearth

/// `hearth pin`.
struct PinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep a query or a document in step, also when nobody listens.",
        discussion: """
            The pin stays over restarts until `hearth unpin` ends it. The pin counts for your user, \
            who must be allowed to read the results, and takes the place of a pin of the same name. Without \
            --name the pin is called as it is typed: its path, with the conditions and orders of a query. \
            Offline the results are on this machine, and no collection takes them. With --fresh the \
            daemon refreshes the results when they are older, and need not watch them. pins.keep of \
            hearthd.toml pins too. JSON: name, state (pinned).
            """)

    @Argument(
        help: "The document or the collection, such as rooms/hall or rooms.",
        completion: CompletionSubject.path.kind, transform: DocumentPath.parseAny)
    var path: PathText
    @OptionGroup var options: QueryOptions
    @Option(
        help: ArgumentHelp("How old the results may be, such as 10m.", valueName: "time"),
        transform: DurationText.parse)
    var fresh: DurationText?
    @Option(help: "What the pin is called, if not by its path and conditions.")
    var name: String?
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if path.isDocument, !options.isEmpty {
            throw ValidationError(
                "\(path) is a document; conditions and orders are for collections.")
        }
        if let fresh, fresh.duration < .seconds(1) {
            throw ValidationError("--fresh, the age that results may have, is at least 1s.")
        }
    }

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let typed = options.isEmpty ? nil : QueryWords.text(path, options)
        let (path, options, name, fresh) = (path, options, name ?? typed, fresh?.duration)
        let pinned = try await session.attempt("pin \(path)") {
            if path.isDocument {
                return try await session.document(path).pin(name: name, fresh: fresh)
            }
            return try await options.query(path, in: session.firestore)
                .pin(name: name, fresh: fresh)
        }
        if connection.json {
            Terminal.print(Report().with("name", pinned).with("state", "pinned").line)
        } else if !connection.quiet {
            Terminal.print("pinned \(PinNames.argument(pinned))")
        }
    }
}
