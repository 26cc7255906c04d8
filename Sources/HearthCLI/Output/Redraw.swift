/// Lines that take the place of the lines before them, on a terminal; elsewhere they follow.
struct Redraw {
    /// Whether the stream is a terminal whose lines can be written over.
    let isInPlace: Bool

    private var lineCount = 0

    /// Nothing is shown yet.
    init(isInPlace: Bool) {
        self.isInPlace = isInPlace
    }

    /// Shows lines on standard output.
    mutating func show(_ lines: [String]) {
        Terminal.write(text(of: lines, width: Terminal.width(.output)), to: .output)
    }

    /// What has to be written for the lines to stand where the last ones stood.
    ///
    /// - Parameter width: Of the terminal; in place, longer lines are cut, or they would break and
    ///   the count of lines be wrong.
    mutating func text(of lines: [String], width: Int) -> String {
        guard isInPlace else { return lines.map { $0 + "\n" }.joined() }
        let up = lineCount == 0 ? "" : "\u{1B}[\(lineCount)A\u{1B}[J"
        lineCount = lines.count
        return up + lines.map { String($0.prefix(max(1, width))) + "\n" }.joined()
    }
}
