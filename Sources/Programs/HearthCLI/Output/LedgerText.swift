import Hearth

/// The ledger of one database, as a table or as rows.
struct LedgerText {
    /// The database, as `project/database`.
    let name: String
    let ledger: DaemonLedger
    let grouping: DaemonLedger.Grouping

    /// The table: a summary, a row each, and the sum.
    ///
    /// - Parameters:
    ///   - countMax: The most rows; the rest is one line.
    ///   - screen: Where it is printed.
    ///   - isQuiet: Whether neither summary nor titles are wanted.
    func lines(
        countMax: Int = .max, on screen: Screen = Screen(), isQuiet: Bool = false
    ) -> [String] {
        var shown = Array(rows.prefix(countMax))
        let rest = rows.count - shown.count
        if grouping != .listener { shown.append(LedgerRow(database: name, sum: ledger)) }
        var lines = TableText(shown).lines(
            width: screen.width, isColoured: screen.isColoured, hasTitles: !isQuiet)
        if rest > 0 { lines.append("\(rest) more") }
        return isQuiet ? lines : [TerminalText.line(summary)] + lines
    }

    /// The rows, without the sum.
    var rows: [LedgerRow] {
        ledger.rows.map { LedgerRow(database: name, since: ledger.since, row: $0) }
    }

    private var summary: String {
        var budgets: [String] = []
        if let count = ledger.readBudget { budgets.append("\(Quantity.number(count)) a program") }
        if let count = ledger.uidReadBudget { budgets.append("\(Quantity.number(count)) a user") }
        let summary = "\(name), document reads since \(ledger.since)"
        if budgets.isEmpty { return summary }
        let end = ledger.stopsAtBudget ? "stop" : "a warning"
        return "\(summary); budget \(budgets.joined(separator: ", ")) and day, then \(end)"
    }
}
