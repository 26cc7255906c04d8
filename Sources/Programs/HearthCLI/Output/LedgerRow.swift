import Hearth

/// A row of the ledger, with the database that the row is of.
struct LedgerRow {
    /// The database, as `project/database`.
    let database: String
    /// The midnight from which on the ledger counts here.
    let since: Timestamp
    /// Who or what has read; `nil` for the sum of all.
    let row: DaemonLedger.Row?
    /// The reads.
    let reads: DaemonLedger.Reads

    /// One row.
    init(database: String, since: Timestamp, row: DaemonLedger.Row) {
        (self.database, self.since, self.row, reads) = (database, since, row, row.reads)
    }

    /// The sum of a ledger's rows.
    init(database: String, sum ledger: DaemonLedger) {
        (self.database, since, row, reads) = (database, ledger.since, nil, ledger.total)
    }

    /// The widest name of a row.
    private static let nameWidthMax = 60

    private var name: String {
        guard let row else { return "all" }
        var parts: [String] = []
        if let session = row.sessionID { parts.append("\(session)") }
        if let program = row.program { parts.append(Self.name(of: program)) }
        if let query = row.query { parts.append(query) }
        if let day = row.day { parts.append(day) }
        return parts.joined(separator: "  ")
    }

    /// What the nearest budget has come to, once the journal has warned of it.
    private var state: String? {
        guard let row, let budget = row.budget else { return nil }
        let owner =
            switch budget.holder {
            case .program: "its budget"
            case .unit: "its unit's budget"
            case .user: "its user's budget"
            }
        if row.isStopped { return "stopped by \(owner)" }
        if budget.used >= budget.limit { return "over \(owner)" }
        return budget.used / 4 >= budget.limit / 5 ? "near \(owner)" : nil
    }

    private static func name(of program: DaemonLedger.Program) -> String {
        let name = program.name.isEmpty ? "unnamed" : program.name
        guard let uid = program.uid else { return name }
        return program.unit.map { "\(name) (\($0), uid \(uid))" } ?? "\(name) (uid \(uid))"
    }
}

extension LedgerRow: ListRow {
    static var columns: [Column<LedgerRow>] {
        [
            Column("WHO", widthMax: nameWidthMax) { $0.name },
            Column(number: "READS") { Quantity.number($0.reads.billed) },
            Column(number: "ALONE") { Quantity.number($0.reads.alone) },
            Column(number: "SAVED") { Quantity.number($0.reads.saved) },
            Column("STATE", tone: { $0.row?.isStopped == true ? .bad : .warning }) { $0.state },
        ]
    }

    var report: Report {
        var report = Report().with("database", database).with("since", since.description)
        if let program = row?.program {
            report = report.with("program", program.name).with("unit", program.unit)
                .with("uid", program.uid.map { .integer(Int64($0)) } ?? .null)
                .with("stopped", row?.isStopped == true)
        }
        if let budget = row?.budget {
            report = report.with("budget", budget.limit).with("budgetUsed", budget.used)
                .with("budgetOf", budget.holder.rawValue)
        }
        if let query = row?.query { report = report.with("query", query) }
        if let day = row?.day { report = report.with("day", day) }
        if let session = row?.sessionID { report = report.with("session", Int(clamping: session)) }
        if let since = row?.since { report = report.with("listensSince", since.description) }
        return report.with("reads", reads.billed).with("aloneReads", reads.alone)
            .with("savedReads", reads.saved)
    }
}
