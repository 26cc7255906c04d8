/// Rows under a line of titles, in columns that two spaces part.
///
/// Cells hold names that others chose: what a terminal or the layout would take for an order is escaped before a cell
/// is measured. A cell without text is a dash, so every row has all cells.
struct TableText {
    private struct Cell {
        let text: String
        let order: String?
    }

    private struct Line {
        let cells: [Cell]
    }

    private static let gap = "  "
    private static let nothing = "-"
    private static let plain = "\u{1B}[0m"

    private let titles: [String]
    private let isNumber: [Bool]
    private let widths: [Int]
    private let rows: [Line]

    /// Lays rows out, in the columns of their kind.
    ///
    /// - Complexity: O(rows × columns); each cell is asked for once.
    init<Row: ListRow>(_ rows: [Row]) { self.init(rows, in: Row.columns) }

    /// Lays rows out in given columns. The titles may be names that others chose.
    init<Row>(_ rows: [Row], in columns: [Column<Row>]) {
        let texts = columns.map { column in rows.map(column.text) }
        let shown = columns.indices.filter { index in
            rows.isEmpty || texts[index].contains { $0 != nil }
        }
        titles = shown.map {
            TerminalText.line(columns[$0].title).cut(to: columns[$0].widthMax)
        }
        isNumber = shown.map { columns[$0].isNumber }
        self.rows = rows.indices.map { row in
            Line(cells: shown.map { Self.cell(texts[$0][row], columns[$0], rows[row]) })
        }
        widths = shown.indices.map { [lines = self.rows, titles] index in
            lines.reduce(titles[index].count) { max($0, $1.cells[index].text.count) }
        }
    }

    private static func cell<Row>(_ text: String?, _ column: Column<Row>, _ row: Row) -> Cell {
        let text = text.flatMap { $0.isEmpty ? nil : $0 } ?? nothing
        return Cell(
            text: TerminalText.line(text).cut(to: column.widthMax), order: column.tone(row).order)
    }

    /// The titles and the rows, fit for a terminal.
    ///
    /// - Parameters:
    ///   - width: Where a line is cut; `nil` for lines as long as they are.
    ///   - isColoured: Whether cells have the colours of their meanings.
    ///   - hasTitles: Whether the titles come first.
    func lines(width: Int? = nil, isColoured: Bool = false, hasTitles: Bool = true) -> [String] {
        let head = hasTitles ? [Line(cells: titles.map { Cell(text: $0, order: nil) })] : []
        return (head + rows).map { line($0, width: width ?? .max, isColoured: isColoured) }
    }

    private func line(_ line: Line, width: Int, isColoured: Bool) -> String {
        let pieces = line.cells.indices.map { index in
            (index == 0 ? "" : Self.gap)
                + padded(line.cells[index].text, index, isLast: index == line.cells.count - 1)
        }
        let isCut = pieces.reduce(0) { $0 + $1.count } > width
        var rest = isCut ? width - 1 : .max
        var text = ""
        for (piece, cell) in zip(pieces, line.cells) {
            let shown = String(piece.prefix(rest))
            rest -= shown.count
            text += isColoured ? Self.coloured(shown, by: cell.order) : shown
        }
        return isCut ? text + "…" : text
    }

    private func padded(_ text: String, _ index: Int, isLast: Bool) -> String {
        let padding = String(repeating: " ", count: max(0, widths[index] - text.count))
        if isNumber[index] { return padding + text }
        return isLast ? text : text + padding
    }

    private static func coloured(_ text: String, by order: String?) -> String {
        order.map { $0 + text + plain } ?? text
    }
}
