import Hearth
import HearthModel

/// A ledger as JSON.
enum LedgerJSON {
    /// The ledger of a database.
    static func json(of ledger: DaemonLedger, db: String) -> JSONValue {
        JSONValue.members([
            "db": .string(db), "since": .string(ledger.since.description),
            "readBudget": ledger.readBudget.map { .count($0) } ?? .null,
            "uidReadBudget": ledger.uidReadBudget.map { .count($0) } ?? .null,
            "stopsAtBudget": .boolean(ledger.stopsAtBudget),
            "total": reads(ledger.total, of: .members([:])),
            "rows": .array(ledger.rows.map(json(of:))),
        ])
    }

    private static func json(of row: DaemonLedger.Row) -> JSONValue {
        let names = JSONValue.members([
            "program": row.program.map(json(of:)) ?? .null, "query": .text(row.query),
            "day": .text(row.day),
            "session": row.sessionID.map { .integer(Int64(clamping: $0)) } ?? .null,
            "listensSince": .text(row.since?.description), "stopped": .boolean(row.isStopped),
            "budget": row.budget.map(json(of:)) ?? .null,
        ])
        return reads(row.reads, of: names)
    }

    private static func reads(_ reads: DaemonLedger.Reads, of object: JSONValue) -> JSONValue {
        object.adding("reads", .count(reads.billed)).adding("alone", .count(reads.alone))
            .adding("saved", .count(reads.saved))
    }

    private static func json(of program: DaemonLedger.Program) -> JSONValue {
        .members([
            "uid": program.uid.map { .integer(Int64($0)) } ?? .null,
            "userName": .text(program.uid.flatMap { UserNames.name(of: $0) }),
            "unit": .text(program.unit), "name": .string(program.name),
        ])
    }

    private static func json(of budget: DaemonLedger.Budget) -> JSONValue {
        .members([
            "of": .string(budget.holder.rawValue), "used": .count(budget.used),
            "limit": .count(budget.limit),
        ])
    }
}
