/// Lines that take the place of the lines before them, on a terminal; elsewhere they follow.
struct Redraw {
    /// Whether it was asked for, where the stream lets it.
    private let isWanted: Bool
    private var lineCount = 0
    /// The lines on the screen, kept so that equal lines are not written again.
    private var shown: [String] = []

    /// Nothing is shown yet.
    init(isWanted: Bool) {
        self.isWanted = isWanted
    }

    /// Shows lines on standard output.
    ///
    /// - Parameter lines: Makes them; told whether they stand in place. That may change from one to
    ///   the next: a program in the background would write over what others have written.
    mutating func show(_ lines: (_ isInPlace: Bool) -> [String]) {
        let isInPlace = isWanted && Terminal.isOurs(.output)
        let text = text(
            of: lines(isInPlace), isInPlace: isInPlace, width: Terminal.width(.output))
        Terminal.order(text, to: .output)
    }

    /// Shows lines where others stand, if they differ. Elsewhere than in place nothing is shown.
    mutating func refresh(_ lines: () -> [String]) {
        guard isWanted, lineCount > 0, Terminal.isOurs(.output) else { return }
        let lines = lines()
        guard lines != shown else { return }
        show { _ in lines }
    }

    /// The text that puts the lines where the last lines stood.
    ///
    /// - Parameter width: Of the terminal; in place, longer lines are cut, or they would break and
    ///   the count of lines be wrong.
    mutating func text(of lines: [String], isInPlace: Bool, width: Int) -> String {
        shown = lines
        let lines = lines.map(TerminalText.line)
        guard isInPlace else {
            lineCount = 0
            return lines.map { $0 + "\n" }.joined()
        }
        let up = lineCount == 0 ? "" : "\u{1B}[\(lineCount)A\u{1B}[J"
        lineCount = lines.count
        return up + lines.map { $0.cut(to: width) + "\n" }.joined()
    }
}
