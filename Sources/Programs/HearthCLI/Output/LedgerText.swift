import Hearth

/// The ledger of one database, as lines of a table or as objects.
struct LedgerText {
    /// The database, as `project/database`.
    let name: String
    let ledger: DaemonLedger
    let grouping: DaemonLedger.Grouping

    /// The widest first column; longer names are cut.
    private static let nameWidthMax = 60

    /// The table: a head, a row each, and the sum.
    ///
    /// - Parameter countMax: The most rows; the rest is one line.
    func lines(countMax: Int = .max) -> [String] {
        let rows = ledger.rows.prefix(countMax)
        let names = rows.map { Self.name(of: $0).cut(to: Self.nameWidthMax) }
        let width = max(12, names.map(\.count).max() ?? 0)
        var lines = [summary, line("", "reads", "alone", "saved", width)]
        for (row, name) in zip(rows, names) {
            let stopped = row.isStopped ? "  stopped by its budget" : ""
            lines.append(line(name, row.reads, width) + stopped)
        }
        if ledger.rows.count > countMax { lines.append("\(ledger.rows.count - countMax) more") }
        if grouping != .listener { lines.append(line("all", ledger.total, width)) }
        return lines
    }

    /// An object for each row.
    var reports: [Report] {
        ledger.rows.map { row in
            var report = Report().with("database", name).with("since", Self.text(ledger.since))
            if let program = row.program {
                report = report.with("program", program.name).with("unit", program.unit)
                    .with("uid", program.uid.map { .integer(Int64($0)) } ?? .null)
                    .with("stopped", row.isStopped)
            }
            if let query = row.query { report = report.with("query", query) }
            if let day = row.day { report = report.with("day", day) }
            if let session = row.sessionID {
                report = report.with("session", Int(clamping: session))
            }
            if let since = row.since { report = report.with("listensSince", Self.text(since)) }
            return report.with("reads", row.reads.billed).with("aloneReads", row.reads.alone)
                .with("savedReads", row.reads.saved)
        }
    }

    private var summary: String {
        let budget = ledger.readBudget.map {
            "; budget \(Quantity.number($0)) a program and day, then "
                + (ledger.stopsAtBudget ? "stop" : "a warning")
        }
        return "\(name), document reads since \(Self.text(ledger.since))" + (budget ?? "")
    }

    private func line(_ name: String, _ reads: DaemonLedger.Reads, _ width: Int) -> String {
        line(
            name, Quantity.number(reads.billed), Quantity.number(reads.alone),
            Quantity.number(reads.saved), width)
    }

    private func line(
        _ name: String, _ reads: String, _ alone: String, _ saved: String, _ width: Int
    ) -> String {
        let head = name + String(repeating: " ", count: max(0, width - name.count))
        return head + [reads, alone, saved].map { Self.right($0) }.joined()
    }

    private static func right(_ text: String) -> String {
        "  " + String(repeating: " ", count: max(0, 11 - text.count)) + text
    }

    private static func name(of row: DaemonLedger.Row) -> String {
        var parts: [String] = []
        if let session = row.sessionID { parts.append("\(session)") }
        if let program = row.program { parts.append(name(of: program)) }
        if let query = row.query { parts.append(query) }
        if let day = row.day { parts.append(day) }
        return parts.joined(separator: "  ")
    }

    private static func name(of program: DaemonLedger.Program) -> String {
        let name = program.name.isEmpty ? "unnamed" : program.name
        guard let uid = program.uid else { return name }
        return program.unit.map { "\(name) (\($0), uid \(uid))" } ?? "\(name) (uid \(uid))"
    }

    private static func text(_ time: Timestamp) -> String { time.description }
}
