import ArgumentParser
import Hearth

/// `hearth describe`.
struct DescribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract:
            "Print where a document stands on this machine, and who has writes waiting for it.",
        discussion: """
            Asks nothing of the backend. Whom the access rules let read the document may ask, and who \
            may see the whole queue (hearth queue); to others, the batches of other users name no \
            other document. The state is what the backend last said: found, missing, \
            fieldsUnknown (a write was acknowledged and has not come back), or unknown. A document \
            that a query holds stays in the cache. JSON: path, state, updatedAt, readAt, \
            isHeldByQuery, batches (as `hearth queue list` prints them; of very many the oldest), \
            hasMoreBatches.
            """)

    @Argument(
        help: "The document, such as rooms/hall.", completion: CompletionSubject.document.kind,
        transform: DocumentPath.parse)
    var path: PathText
    @OptionGroup var form: ResultFormatOption
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let reference = try session.document(path)
        let description = try await session.attempt("describe \(path)") {
            try await reference.describe()
        }
        let now = Timestamp()
        if form.chosen(json: connection.json) ?? .table != .table {
            Terminal.print(Self.report(description, of: path, now: now).line)
        } else {
            for line in Self.lines(description, now: now) { Terminal.printRow(line) }
        }
    }

    /// One line of JSON.
    static func report(
        _ description: DocumentDescription, of path: PathText, now: Timestamp
    ) -> Report {
        Report().with("path", path.description).with("state", description.state.rawValue)
            .with("updatedAt", description.updatedAt?.description)
            .with("readAt", description.readAt?.description)
            .with("isHeldByQuery", description.isHeldByQuery)
            .with(
                "batches",
                .array(
                    description.pendingBatches.map { BatchText($0, now: now).report.value })
            ).with("hasMoreBatches", description.hasMorePendingBatches)
    }

    /// Lines for people: what the cache holds, and what waits.
    static func lines(_ description: DocumentDescription, now: Timestamp) -> [String] {
        func told(_ word: String, _ moment: Timestamp?) -> String {
            moment.map { ", \(word) \($0) (\(Quantity.duration($0.age(at: now))) ago)" } ?? ""
        }
        let state =
            switch description.state {
            case .unknown: "nothing is known"
            case .found: "found"
            case .missing: "missing"
            case .fieldsUnknown: "exists, and its fields are not known yet"
            }
        var lines = [
            "cache: " + state + told("changed", description.updatedAt)
                + told("read", description.readAt),
            "query: " + (description.isHeldByQuery ? "holds it" : "none holds it"),
        ]
        if description.pendingBatches.isEmpty { lines.append("queue: nothing waits") }
        for batch in description.pendingBatches {
            lines.append("queue: " + BatchText(batch, now: now).line)
        }
        if description.hasMorePendingBatches {
            lines.append("queue: more wait behind these; see hearth queue list")
        }
        return lines
    }
}
