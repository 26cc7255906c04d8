/// One row of the configuration table: a key of the file, and a flag of the same name.
package struct ConfigurationKey: Sendable {
    /// What kind of value a key takes.
    package enum Kind: Hashable, Sendable {
        /// Any text.
        case text
        /// The id of a project, or nothing.
        case project
        /// The id of a database in its project, or nothing.
        case database
        /// The path of a collection, or nothing.
        case collection
        /// The address of an instance of the Realtime Database, or nothing.
        case instance
        /// A path of the Realtime Database, or nothing.
        case node
        /// Paths of the Realtime Database.
        case nodes
        /// Paths of documents and collections.
        case documents
        /// Budgets of units and users.
        case budgets
        /// A whole number of a range.
        case number(ClosedRange<Int>)
        /// Yes or no.
        case flag
        /// One of some words.
        case choice([String])
        /// A port of the loopback interface, or nothing.
        case loopback
        /// The permissions of a file, such as `0660`.
        case mode
    }

    /// What a number counts.
    package enum Unit: String, Sendable {
        /// Things.
        case count = "n"
        /// Bytes.
        case bytes
        /// Seconds.
        case seconds
        /// Thousandths of a second.
        case milliseconds
    }

    /// For whom a number holds.
    package enum Scope: String, Sendable {
        /// All that the daemon does.
        case daemon = "the daemon"
        /// Each database.
        case database = "one database"
        /// All programs of each Unix user.
        case user = "one Unix user"
        /// Each connected program.
        case client = "one client"
    }

    /// Puts a value of the right kind into a configuration.
    typealias Take = @Sendable (ConfigurationLayer.Value, inout ServerConfiguration) -> Void

    /// The name, which its section begins once the section holds the key.
    package private(set) var name: String
    /// What kind of value it takes.
    package let kind: Kind
    /// What stands for the value in the help of the flag.
    package let valueName: String
    /// What it is for, in the help of the flag.
    package let help: String
    /// The purpose of the key, in the file and the manual page.
    package private(set) var explanation: String
    /// The value if the key is not set, as the file shows the value.
    package private(set) var standard: ConfigurationLayer.Value
    /// The unit of the key's number; `nil` if the value is no number.
    package private(set) var unit: Unit?
    /// For whom the value holds.
    package private(set) var scope = Scope.daemon
    /// Whether a reload applies it, or a restart is needed.
    package private(set) var takesEffectAtOnce = false
    /// Puts the key's value into a configuration.
    let take: Take

    /// A key whose value is taken by a closure; the standard is an empty text until `shown` says otherwise.
    init(
        _ name: String, _ kind: Kind, _ valueName: String, _ help: String, take: @escaping Take
    ) {
        self.name = name
        self.kind = kind
        self.valueName = valueName
        self.help = help
        self.take = take
        explanation = help
        standard = .text("")
    }

    /// The same, with more words for the file and the manual page. Lines that are set in stay as they are.
    func told(_ explanation: String) -> Self {
        with { $0.explanation = explanation }
    }

    /// The same, with what the file shows in the place of the value.
    func shown(_ standard: ConfigurationLayer.Value) -> Self {
        with { $0.standard = standard }
    }

    /// The same, as a number with a unit and a scope.
    func counting(_ unit: Unit, of scope: Scope) -> Self {
        with {
            $0.unit = unit
            $0.scope = scope
        }
    }

    /// The same, applied by a reload whatever its section says.
    func takingEffectAtOnce() -> Self {
        with { $0.takesEffectAtOnce = true }
    }

    /// The same, as a part of a section.
    func held(by section: String, isLive: Bool) -> Self {
        with {
            $0.name = "\(section).\($0.name)"
            $0.takesEffectAtOnce = $0.takesEffectAtOnce || isLive
        }
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var key = self
        change(&key)
        return key
    }
}
