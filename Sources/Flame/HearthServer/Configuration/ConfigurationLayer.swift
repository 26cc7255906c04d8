import HearthModel

/// One source of configuration: a file, the flags. Later ones win.
package struct ConfigurationLayer: Sendable {
    /// A value as its source has it.
    package enum Value: Hashable, Sendable {
        /// A text.
        case text(String)
        /// Texts in a list.
        case texts([String])
        /// A whole number.
        case number(Int)
        /// Yes or no.
        case flag(Bool)
        /// Something that no key takes, by the name of its kind.
        case other(String)
    }

    /// Where the values are from, for people.
    package let origin: String
    /// The values, by their keys with dots.
    package let values: [String: Value]
    private let lines: [String: Int]

    /// Takes a source's values.
    ///
    /// - Parameters:
    ///   - origin: Where the values are from, for people.
    ///   - values: The values, by their keys with dots.
    ///   - lines: The lines of a file, from 1, in which the values stand; empty for other sources.
    package init(origin: String, values: [String: Value], lines: [String: Int] = [:]) {
        self.origin = origin
        self.values = values
        self.lines = lines
    }

    /// The part that the names of all access rules begin with.
    static let accessPrefix = "access."

    /// Whether the source has an access rule.
    var hasAccessRules: Bool { values.keys.contains { $0.hasPrefix(Self.accessPrefix) } }

    /// The line of a key's value, from 1; 0 if the source has no lines.
    func line(of name: String) -> Int { lines[name] ?? 0 }

    /// Where a key's value is from, for people.
    package func origin(of name: String) -> String {
        lines[name].map { "\(origin), line \($0)" } ?? origin
    }
}

/// Something wrong with the configuration. The value before it, or the default, counts instead.
package struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// Where it is.
    package let origin: String
    /// What is wrong, and what would be right.
    package let message: String
    /// What follows if the daemon starts with it; a reload keeps the old configuration instead.
    package let consequence: String?

    /// Describes a problem.
    ///
    /// - Parameters:
    ///   - origin: Where the problem is.
    ///   - message: What is wrong, and what would be right.
    ///   - consequence: What follows if the daemon starts with the problem; `nil` if nothing
    ///     follows.
    package init(origin: String, message: String, consequence: String? = nil) {
        self.origin = origin
        self.message = message
        self.consequence = consequence
    }

    package var description: String { "\(refusal)\(consequence.map { " \($0)" } ?? "")" }

    /// The problem as a reload tells it, without characters that are orders to a terminal.
    package var refusal: String { ControlCharacters.escaped("\(origin): \(message)") }
}
