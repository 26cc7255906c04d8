import HearthEngine
import HearthModel

/// A place of the configuration into which one key writes. Its value in a new configuration is the
/// key's standard.
typealias ConfigurationPlace<Value> = any WritableKeyPath<ServerConfiguration, Value> & Sendable

/// The kinds of keys whose value goes unchanged to one place of the configuration.
extension ConfigurationKey {
    private static let standards = ServerConfiguration()

    /// A number of things.
    static func count(
        _ name: String, _ place: ConfigurationPlace<Int>, _ range: ClosedRange<Int>,
        of scope: Scope, _ help: String
    ) -> Self {
        number(name, place, range, help, .count).counting(.count, of: scope)
    }

    /// A number of bytes.
    static func bytes(
        _ name: String, _ place: ConfigurationPlace<Int>, _ range: ClosedRange<Int>,
        of scope: Scope, _ help: String
    ) -> Self {
        number(name, place, range, help, .bytes).counting(.bytes, of: scope)
    }

    /// A number of seconds.
    static func seconds(
        _ name: String, _ place: ConfigurationPlace<Int>, _ range: ClosedRange<Int>,
        of scope: Scope, _ help: String
    ) -> Self {
        number(name, place, range, help, .seconds).counting(.seconds, of: scope)
    }

    /// A number of thousandths of a second.
    static func milliseconds(
        _ name: String, _ place: ConfigurationPlace<Int>, _ range: ClosedRange<Int>,
        of scope: Scope, _ help: String
    ) -> Self {
        number(name, place, range, help, .milliseconds).counting(.milliseconds, of: scope)
    }

    private static func number(
        _ name: String, _ place: ConfigurationPlace<Int>, _ range: ClosedRange<Int>,
        _ help: String, _ unit: Unit
    ) -> Self {
        ConfigurationKey(name, .number(range), unit.rawValue, help) { value, configuration in
            if case .number(let number) = value { configuration[keyPath: place] = number }
        }.shown(.number(standards[keyPath: place]))
    }

    /// Yes or no.
    static func flag(
        _ name: String, _ place: ConfigurationPlace<Bool>, _ help: String
    ) -> Self {
        ConfigurationKey(name, .flag, "bool", help) { value, configuration in
            if case .flag(let flag) = value { configuration[keyPath: place] = flag }
        }.shown(.flag(standards[keyPath: place]))
    }

    /// A text that an empty one takes back.
    static func text(
        _ name: String, _ valueName: String, _ place: ConfigurationPlace<String?>, _ help: String
    ) -> Self {
        ConfigurationKey(name, .text, valueName, help) { value, configuration in
            guard case .text(let text) = value else { return }
            configuration[keyPath: place] = text.isEmpty ? nil : text
        }.shown(.text(standards[keyPath: place] ?? ""))
    }

    /// A text, or a word, that a closure takes.
    static func taken(
        _ name: String, _ kind: Kind, _ valueName: String, _ help: String,
        by take: @escaping @Sendable (String, inout ServerConfiguration) -> Void
    ) -> Self {
        ConfigurationKey(name, kind, valueName, help) { value, configuration in
            if case .text(let text) = value { take(text, &configuration) }
        }
    }

    /// Paths of the Realtime Database.
    static func paths(
        _ name: String, _ place: ConfigurationPlace<[RealtimePath]>, _ help: String
    ) -> Self {
        ConfigurationKey(name, .nodes, "paths", help) { value, configuration in
            guard case .texts(let texts) = value else { return }
            configuration[keyPath: place] = texts.compactMap { RealtimePath($0) }
        }.shown(.texts(standards[keyPath: place].map(\.description)))
    }

    /// Paths of documents and collections.
    static func documents(
        _ name: String, _ place: ConfigurationPlace<[ResourcePath]>, _ help: String
    ) -> Self {
        ConfigurationKey(name, .documents, "paths", help) { value, configuration in
            guard case .texts(let texts) = value else { return }
            configuration[keyPath: place] = texts.compactMap { try? ResourcePath(parsing: $0) }
        }.shown(.texts(standards[keyPath: place].map(\.string)))
    }

    /// Budgets of units and Unix users.
    static func budgets(
        _ name: String, _ place: ConfigurationPlace<LedgerTerms>, _ help: String
    ) -> Self {
        ConfigurationKey(name, .budgets, "budgets", help) { value, configuration in
            guard case .texts(let lines) = value else { return }
            configuration[keyPath: place].setListed(lines)
        }.shown(.texts([]))
    }

    /// One of the words of an enumeration.
    static func choice<Word: RawRepresentable<String> & CaseIterable & SendableMetatype>(
        _ name: String, _ valueName: String, _ place: ConfigurationPlace<Word>, _ help: String
    ) -> Self {
        let words = Word.allCases.map(\.rawValue)
        return taken(name, .choice(words), valueName, help) { text, configuration in
            if let word = Word(rawValue: text) { configuration[keyPath: place] = word }
        }.shown(.text(standards[keyPath: place].rawValue))
    }

    /// The permissions of a file.
    static func mode(
        _ name: String, _ place: ConfigurationPlace<UInt32>, _ help: String
    ) -> Self {
        let digits = String(standards[keyPath: place], radix: 8)
        return taken(name, .mode, "mode", help) { text, configuration in
            if let mode = Self.mode(text) { configuration[keyPath: place] = mode }
        }.shown(.text(String(repeating: "0", count: max(4 - digits.count, 0)) + digits))
    }

    /// The permissions that octal digits name; `nil` for any other text.
    static func mode(_ text: String) -> UInt32? {
        UInt32(text, radix: 8).flatMap { $0 <= 0o777 ? $0 : nil }
    }
}
