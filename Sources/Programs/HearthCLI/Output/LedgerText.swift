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
        let budget = ledger.readBudget.map {
            "; budget \(Quantity.number($0)) a program and day, then "
                + (ledger.stopsAtBudget ? "stop" : "a warning")
        }
        return "\(name), document reads since \(ledger.since)" + (budget ?? "")
    }
}
