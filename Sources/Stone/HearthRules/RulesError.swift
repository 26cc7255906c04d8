/// Where something stands in a source.
package struct SourcePosition: Hashable, Sendable {
    /// From 1.
    package let line: Int
    /// In bytes of UTF-8 from the start of the line, from 1.
    package let column: Int

    /// Names a place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// Why a source is no set of rules: what is wrong, and where.
package struct RulesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where the wrong thing begins.
    package let position: SourcePosition
    /// What is wrong, as a sentence without its full stop.
    package let reason: String

    /// Says what is wrong, and where.
    package init(_ reason: String, at position: SourcePosition) {
        self.position = position
        self.reason = reason
    }

    /// The error in the form `LINE:COLUMN: reason`, as the Realtime Database tells it.
    package var brief: String { "\(position.line):\(position.column): \(reason)" }

    package var description: String {
        "Line \(position.line), column \(position.column): \(reason)."
    }
}
