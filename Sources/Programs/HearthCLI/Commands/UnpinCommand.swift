import ArgumentParser
import Hearth

/// `hearth unpin`.
struct UnpinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin", abstract: "End pins.",
        discussion: """
            The daemon no longer keeps their results in step, and the cache may lose them. `hearth \
            pins` tells the names. A query may be typed as for `hearth pin`: hearth unpin rooms --where \
            'lights > 3'. JSON: name, state (ended).
            """)

    @Argument(help: "The names of the pins.", completion: CompletionSubject.pin.kind)
    var names: [String]
    @Option(
        help: "The Unix user whose pins are meant, if not yours; for administrators.",
        transform: WholeNumber.parse(in: 0...UInt32.max))
    var uid: UInt32?
    @OptionGroup var options: QueryOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if names.isEmpty { throw ValidationError("Name a pin; \"hearth pins\" lists them.") }
        if !options.isEmpty, collection == nil {
            throw ValidationError(
                "Conditions and orders are for a collection: name just one beside them.")
        }
    }

    /// The one collection that is named; `nil` if the names name none or several things.
    private var collection: PathText? {
        guard names.count == 1, let path = names.first.flatMap({ PathText($0) }), !path.isDocument
        else { return nil }
        return path
    }

    /// The query as `hearth pin` calls its pin; `nil` if only names were given.
    var typedQuery: String? {
        guard !options.isEmpty, let collection else { return nil }
        return QueryWords.text(collection, options)
    }

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let uid = uid
        let pins = try await session.attempt("list the pins") {
            try await session.firestore.pins()
        }
        let known = PinNames(pins: pins.filter { uid == nil || $0.uid == uid })
        var names = names.map { known.name($0) }
        if let typedQuery, let collection {
            let canonical = try options.query(collection, in: session.firestore).pinName
            names = [known.name(typed: typedQuery, canonical: canonical)]
        }
        for name in names {
            try await session.attempt("unpin \(name)") {
                try await session.firestore.unpin(name, uid: uid)
            }
            if connection.json {
                Terminal.print(Report().with("name", name).with("state", "ended").line)
            } else if !connection.quiet {
                Terminal.print("ended \(name)")
            }
        }
    }
}
