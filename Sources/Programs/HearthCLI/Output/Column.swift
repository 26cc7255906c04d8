/// A column of a table: what a row says under a title.
struct Column<Row> {
    /// What a cell means for whoever looks after the daemon; a terminal shows it as a colour.
    enum Tone {
        /// Nothing in particular.
        case plain
        /// As it should be.
        case good
        /// To be seen to.
        case warning
        /// Wrong.
        case bad
    }

    /// The word at the head of the column.
    let title: String
    /// Whether the cells are numbers, which stand at the right.
    let isNumber: Bool
    /// The most characters of a cell; the rest is an ellipsis.
    let widthMax: Int
    /// What a row says; `nil` for nothing. A column in which no row says anything is left out.
    let text: (Row) -> String?
    /// What the cell means.
    let tone: (Row) -> Tone

    /// A column of words.
    init(
        _ title: String, widthMax: Int = .max, tone: @escaping (Row) -> Tone = { _ in .plain },
        text: @escaping (Row) -> String?
    ) {
        self.title = title
        self.widthMax = widthMax
        self.tone = tone
        self.text = text
        isNumber = false
    }

    /// A column of numbers, perhaps with units.
    init(number title: String, widthMax: Int = .max, text: @escaping (Row) -> String?) {
        self.title = title
        self.text = text
        tone = { _ in .plain }
        self.widthMax = widthMax
        isNumber = true
    }
}

extension Column.Tone {
    /// The order that gives the terminal's text the colour; `nil` for the colour that the text has.
    var order: String? {
        switch self {
        case .plain: nil
        case .good: "\u{1B}[32m"
        case .warning: "\u{1B}[33m"
        case .bad: "\u{1B}[31m"
        }
    }
}

/// A row of a list: cells of a table for people, and an object with the same for programs.
protocol ListRow {
    /// The columns of the table. The last should be the longest, because a terminal cuts it.
    static var columns: [Column<Self>] { get }

    /// The object, whose fields the help of the command names.
    var report: Report { get }
}
