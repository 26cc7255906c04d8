import ArgumentParser
import Hearth

/// `hearth rtdb keep`.
struct RtdbKeepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Keep places in step with the backend, also when nobody listens.",
        discussion: """
            The order stays over restarts until --off takes it back; it counts for your user, who \
            must be allowed to read the places. With an order, bounds or a limit, only the children \
            that the query shows are kept, and --off takes the order for the same query back; --list \
            tells the options that --off needs. With --off of what is not kept the status is 1. With --for, \
            places are kept only while this command runs. What is kept is on this machine when it is \
            offline, and is not collected. realtime.keep of hearthd.toml names places as well. JSON: \
            path, state (kept, released); with --list path, query (null for all below), options (null for \
            all below, and for a program's query that no options ask), uid (null for realtime.keep), \
            isAllowed (if not, the order rests).
            """)

    @Argument(
        help: "The places, such as rooms; / is the root.",
        completion: CompletionSubject.keptPlace.kind)
    var paths: [String] = []
    @Flag(help: "Take the order back.")
    var off = false
    @Flag(help: "Print what is kept.")
    var list = false
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Keep the places only for a time, such as 10m.", valueName: "time"),
        transform: DurationText.parse)
    var time: DurationText?
    @OptionGroup var query: ChildQueryOptions
    @OptionGroup var form: FormatOption
    @OptionGroup var instance: InstanceOptions

    func validate() throws {
        if list != paths.isEmpty { throw ValidationError("Name places, or say --list.") }
        if [off, list, time != nil].count(where: { $0 }) > 1 {
            throw ValidationError("--off, --list and --for exclude each other.")
        }
        if form.format != nil, !list { throw ValidationError("--format needs --list.") }
        if query.areGiven, list { throw ValidationError("--list lists all that is kept.") }
        for path in paths where path.drop(while: { $0 == "/" }).hasPrefix(".info") {
            throw ValidationError("\(path) is the daemon's own and is never stored.")
        }
    }

    func run() async throws {
        let session = try await InstanceSession.whenStarted(instance)
        if list { return try await printList(session) }
        let places = try paths.map { try query.query(try session.reference($0)) }
        if let time { return try await keep(places, for: time.duration, session) }
        let (state, isKept) = off ? ("released", false) : ("kept", true)
        for (path, place) in zip(paths, places) {
            try await session.attempt("\(isKept ? "keep" : "release") \(path)") {
                if isKept { return try await place.keepForGood(true) }
                guard try await place.releaseForGood() else { throw Self.notKept(path) }
            }
            if instance.json {
                Terminal.print(Report().with("path", path).with("state", state).line)
            } else if !instance.quiet {
                Terminal.print("\(state) \(path)")
            }
        }
    }

    private static func notKept(_ path: String) -> Failure {
        Failure(
            .failed,
            "Cannot release \(path): no order of yours keeps it with just these options. \"hearth rtdb "
                + "keep --list\" tells what is kept, by whom and with which options.")
    }

    private func keep(
        _ queries: [DatabaseQuery], for time: Duration, _ session: InstanceSession
    ) async throws {
        for (path, query) in zip(paths, queries) {
            try await session.attempt("keep \(path)") { try query.validate() }
            query.keepSynced(true)
        }
        let places = Quantity.count(paths.count, "place", "places")
        let isQuiet = instance.quiet
        try await session.attempt("keep \(places) in step", followsRestarts: true) {
            if !isQuiet { Terminal.write("Keeping \(places) in step.\n", to: .error) }
            try await Task.sleep(for: time)
        }
    }

    private func printList(_ session: InstanceSession) async throws {
        let database = session.database
        let places = try await session.attempt("list the places") {
            try await database.keptPlaces()
        }
        form.print(places, instance, absence: "Nothing is kept.")
    }
}

extension KeptPlace: ListRow {
    static var columns: [Column<KeptPlace>] {
        [
            Column("PLACE") { $0.words },
            Column("BY") { $0.uid.map { "uid \($0)" } ?? "realtime.keep" },
            Column("STATE", tone: { $0.isAllowed ? .good : .warning }) {
                $0.isAllowed ? "kept" : "rests: the access rules do not let this user read it"
            },
        ]
    }

    /// The place as `keep` takes it: the path and the options of the query, or the query as the wire has
    /// it if no options ask it.
    private var words: String {
        guard let query else { return ShellText.word(path) }
        return "\(ShellText.word(path)) \(ChildQueryText.options(of: query) ?? query)"
    }

    var report: Report {
        Report().with("path", path)
            .with("query", query.map { .string($0) } ?? ValueLiteral.null)
            .with(
                "options",
                query.flatMap { ChildQueryText.options(of: $0) }.map { .string($0) }
                    ?? ValueLiteral.null
            )
            .with("uid", uid.map { .integer(Int64($0)) } ?? ValueLiteral.null)
            .with("isAllowed", isAllowed)
    }
}
