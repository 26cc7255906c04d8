/// One source of configuration: a file, the flags. Later ones win.
package struct ConfigurationLayer: Sendable {
    /// A value as its source has it.
    package enum Value: Hashable, Sendable {
        /// A text.
        case text(String)
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

    /// Takes a source's values.
    package init(origin: String, values: [String: Value]) {
        self.origin = origin
        self.values = values
    }
}

/// Something wrong with the configuration. The value before it, or the default, counts instead.
package struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// Where it is.
    package let origin: String
    /// What is wrong, and what would be right.
    package let message: String

    /// Describes a problem.
    package init(origin: String, message: String) {
        self.origin = origin
        self.message = message
    }

    package var description: String { "\(origin): \(message)" }
}
