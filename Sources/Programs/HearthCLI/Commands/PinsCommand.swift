import ArgumentParser
import Hearth

/// `hearth pins`.
struct PinsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins", abstract: "Print what is pinned, and how it stands.",
        discussion: """
            Your user's pins, and those of pins.keep that you may read; for administrators all. \
            waiting: never complete yet. inStep: watched, and the backend's. fresh: not older than \
            --fresh. stale: older, or the backend is not there. stopped: nothing is kept. JSON: name, \
            uid (null for pins.keep), query, freshSeconds (null if it is watched), state, completedAt, \
            byteCount, error.
            """)

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let pins = try await session.attempt("list the pins") {
            try await session.firestore.pins()
        }
        if pins.isEmpty, !connection.json, !connection.quiet {
            Terminal.write("Nothing is pinned.\n", to: .error)
        }
        for pin in pins {
            if connection.json {
                Terminal.print(Self.report(pin).line)
            } else {
                Terminal.printRow(Self.line(pin))
            }
        }
    }

    private static func report(_ pin: Pin) -> Report {
        Report().with("name", pin.name)
            .with("uid", pin.uid.map { .integer(Int64($0)) } ?? ValueLiteral.null)
            .with("query", pin.query)
            .with(
                "freshSeconds",
                pin.freshness.map { .double($0 / .seconds(1)) } ?? ValueLiteral.null
            )
            .with("state", pin.state.rawValue)
            .with("completedAt", pin.completedAt.map { .timestamp($0) } ?? ValueLiteral.null)
            .with("byteCount", pin.byteCount)
            .with("error", pin.error.map { .string($0.message) } ?? ValueLiteral.null)
    }

    private static func line(_ pin: Pin) -> String {
        let orderer = pin.uid.map { "uid \($0)" } ?? "pins.keep"
        let query = pin.query == pin.name ? "" : "  \(pin.query)"
        let error = pin.error.map { "  \($0.message)" } ?? ""
        return "\(pin.name)  \(pin.state.rawValue)  \(Quantity.bytes(pin.byteCount))  by \(orderer)"
            + "\(query)\(error)"
    }
}
