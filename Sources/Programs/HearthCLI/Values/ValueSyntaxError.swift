/// Why a text is no value, and where.
struct ValueSyntaxError: Error, Hashable, CustomStringConvertible {
    /// Where, counted in characters from 1.
    let column: Int
    /// The line, counted from 1.
    let line: Int
    /// What is wrong there, and what would help.
    let reason: String

    /// Finds line and column of a byte.
    init(_ reason: String, at offset: Int, in bytes: some Collection<UInt8>) {
        let before = Array(bytes.prefix(offset))
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        column = String(decoding: before[start...], as: UTF8.self).count + 1
        self.reason = reason
    }

    private init(line: Int, column: Int, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    /// The same error in a longer text, which has `count` more characters at the start.
    func shifted(by count: Int) -> ValueSyntaxError {
        ValueSyntaxError(
            line: line, column: line == 1 ? column + count : column, reason: reason)
    }

    var description: String {
        line == 1
            ? "at column \(column): \(reason)" : "at line \(line), column \(column): \(reason)"
    }
}
