/// How a list is printed.
enum ListFormat: String, CaseIterable {
    /// Columns under titles, for people.
    case table
    /// One array of objects, for programs.
    case json
    /// One object a line, for programs that read line by line.
    case ndjson

    /// A list in this form, fit for a terminal.
    ///
    /// - Parameters:
    ///   - columns: Of a table.
    ///   - screen: How a table looks.
    ///   - hasTitles: Whether a table with rows begins with a line of titles.
    func lines<Row: ListRow>(
        of rows: [Row], in columns: [Column<Row>] = Row.columns, on screen: Screen = Screen(),
        hasTitles: Bool = true
    ) -> [String] {
        switch self {
        case .table:
            guard !rows.isEmpty else { return [] }
            return TableText(rows, in: columns).lines(
                width: screen.width, isColoured: screen.isColoured, hasTitles: hasTitles)
        case .json: return Self.array(of: rows.map(\.report))
        case .ndjson: return rows.map { TerminalText.line($0.report.line) }
        }
    }

    /// One array, an object on each line between its brackets.
    static func array(of reports: [Report]) -> [String] {
        guard let last = reports.indices.last else { return ["[]"] }
        let objects = reports.enumerated().map { index, report in
            "  " + TerminalText.line(report.line) + (index == last ? "" : ",")
        }
        return ["["] + objects + ["]"]
    }
}

/// What a person's table may take of the place where it is printed.
struct Screen: Hashable {
    /// Where lines are cut; `nil` if they are not.
    var width: Int?
    /// Whether colours tell states and errors.
    var isColoured = false

    /// Whether colours are wanted at all, as far as the environment tells.
    ///
    /// - Source: https://no-color.org: a `NO_COLOR` that is not empty forbids colours.
    static func wantsColours(in environment: [String: String]) -> Bool {
        let terminal = environment["TERM"] ?? ""
        return environment["NO_COLOR", default: ""].isEmpty && !terminal.isEmpty
            && !terminal.utf8.elementsEqual("dumb".utf8)
    }
}
