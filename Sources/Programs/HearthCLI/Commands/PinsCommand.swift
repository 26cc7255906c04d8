import ArgumentParser
import Hearth

/// `hearth pins`.
struct PinsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins", abstract: "Print what is pinned, and how it stands.",
        discussion: """
            Your user's pins, and those of pins.keep that you may read; for administrators all. \
            waiting: never complete yet. inStep: watched, and the backend's. fresh: not older than \
            --fresh. stale: older, or the backend is not there. stopped: nothing is kept. The names \
            are as unpin takes them. JSON, an \
            object for each: name, uid (null for pins.keep), query, freshSeconds (null if the pin is \
            watched), state, completedAt, byteCount, error.
            """)

    @OptionGroup var list: FormatOption
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let pins = try await session.attempt("list the pins") {
            try await session.firestore.pins()
        }
        list.print(pins, connection, absence: "Nothing is pinned.")
    }
}

extension Pin: ListRow {
    static var columns: [Column<Pin>] {
        [
            Column("NAME") { PinNames.argument($0.name) },
            Column("STATE", tone: { $0.tone }) { $0.state.rawValue },
            Column(number: "SIZE") { Quantity.bytes($0.byteCount) },
            Column("BY") { $0.uid.map { "uid \($0)" } ?? "pins.keep" },
            Column("COMPLETE AT") { $0.completedAt?.description },
            Column("ERROR", tone: { _ in .bad }) { $0.error?.message },
            Column("QUERY") { $0.isNamedByQuery ? nil : $0.query },
        ]
    }

    var report: Report {
        Report().with("name", name)
            .with("uid", uid.map { .integer(Int64($0)) } ?? ValueLiteral.null)
            .with("query", query)
            .with("freshSeconds", freshness.map { .double($0 / .seconds(1)) } ?? ValueLiteral.null)
            .with("state", state.rawValue)
            .with("completedAt", completedAt?.description)
            .with("byteCount", byteCount)
            .with("error", error.map { .string($0.message) } ?? ValueLiteral.null)
    }

    /// Whether the name says in words already what is kept.
    private var isNamedByQuery: Bool {
        query.utf8.elementsEqual(name.utf8)
            || !ShellText.word(name).utf8.elementsEqual(PinNames.argument(name).utf8)
    }

    private var tone: Column<Pin>.Tone {
        switch state {
        case .inStep, .fresh: .good
        case .waiting, .stale: .warning
        case .stopped: .bad
        }
    }
}
