import Hearth
import HearthModel

/// The reads of programs, and the reads that the cache has saved.
extension DaemonSource {
    private static let secondsOfDay: Int64 = 86_400

    /// The ledgers of all open Firestore databases, of the programs that the person may see.
    func ledger(_ question: ConsoleQuestion) async throws -> JSONValue {
        let grouping = try Self.grouping(question)
        let since = try Self.since(question)
        let statuses = try await daemon.general { try await $0.daemonDatabases() }
        var ledgers: [JSONValue] = []
        for status in statuses.prefix(ConsoleLimits.databaseCountMax) {
            let name = Overview.name(of: status)
            guard let firestore = try? daemon.database(name) as? Firestore else { continue }
            let ledger = try await firestore.daemonLedger(since: since, by: grouping)
            ledgers.append(LedgerJSON.json(of: ledger, db: name))
        }
        return .members(["ledgers": .array(ledgers)])
    }

    private static func grouping(
        _ question: ConsoleQuestion
    ) throws(HearthError) -> DaemonLedger.Grouping {
        guard let word = question.text("by") else { return .program }
        guard let grouping = DaemonLedger.Grouping(rawValue: word) else {
            let words = DaemonLedger.Grouping.allCases.map(\.rawValue).joined(separator: ", ")
            throw .argument("\"by\" is one of \(words).")
        }
        return grouping
    }

    /// The time from whose day on `days` days are whole; `nil` for the present day.
    private static func since(
        _ question: ConsoleQuestion
    ) throws(HearthError) -> Hearth.Timestamp? {
        guard let days = try question.number("days"), days != 1 else { return nil }
        guard (1...ConsoleLimits.ledgerDayCountMax).contains(days) else {
            throw .argument("\"days\" is from 1 to \(ConsoleLimits.ledgerDayCountMax).")
        }
        let seconds = Hearth.Timestamp().seconds - (days - 1) * secondsOfDay
        return Hearth.Timestamp(seconds: max(0, seconds), nanoseconds: 0)
    }
}
