package import HearthModel

/// The parameters in the query of a REST address, apart from the parameters that name the caller
/// and the tree.
package struct RealtimeCallParameters: Hashable, Sendable {
    /// How an answer is to look.
    package enum Print: String, Hashable, Sendable {
        case pretty
        /// No body at all.
        case silent
    }

    /// How the answer is to look; `nil` for as short as may be.
    package private(set) var print: Print?
    /// Whether only the names of children are wanted.
    package private(set) var isShallow = false
    /// Whether priorities are told.
    package private(set) var hasPriorities = false
    /// Which children are wanted, and in which order; `nil` for all.
    package private(set) var query: QueryParameters?

    /// Nothing but the address.
    package init() {}

    /// Reads the parameters of an address, and ignores parameters with unknown names.
    ///
    /// - Parameter items: Names and values, decoded. If a name is there twice, the last value
    ///   counts.
    /// - Throws: `failed` in the service's words, where they are known.
    package init(_ items: [(name: String, value: String)]) throws(RealtimeRefusal) {
        var values: [String: String] = [:]
        for item in items { values[item.name] = item.value }
        if let text = values["print"] { print = try Self.read(text, "print") }
        if let text = values["shallow"] { isShallow = try Self.flag(text, "shallow") }
        if let text = values["format"] {
            guard text == "export" else { throw Self.fault("format must be \"export\"") }
            hasPriorities = true
        }
        if let text = values["timeout"] { try Self.checkTimeout(text) }
        if let text = values["writeSizeLimit"], WriteSizeLimit(rawValue: text) == nil {
            throw Self.fault("writeSizeLimit must be one of tiny, small, medium, large, unlimited")
        }
        query = try RealtimeCallQuery(values, isShallow: isShallow)?.parameters
    }

    /// How long a write may take by itself; here all are quick.
    private enum WriteSizeLimit: String {
        case tiny, small, medium, large, unlimited
    }

    private static func read<Value: RawRepresentable<String>>(
        _ text: String, _ name: String
    ) throws(RealtimeRefusal) -> Value {
        guard let value = Value(rawValue: text) else {
            throw fault("\(name) has an unknown value")
        }
        return value
    }

    private static func flag(_ text: String, _ name: String) throws(RealtimeRefusal) -> Bool {
        switch text {
        case "true": true
        case "false", "": false
        default: throw fault("\(name) must be true or false")
        }
    }

    /// A number with `ms`, `s` or `min`, of at most 15 minutes.
    private static func checkTimeout(_ text: String) throws(RealtimeRefusal) {
        let units: [(String, Int)] = [("ms", 1), ("s", 1_000), ("min", 60_000)]
        for (unit, milliseconds) in units where text.hasSuffix(unit) {
            guard let count = Int(text.dropLast(unit.count)), count > 0,
                count <= timeoutMax / milliseconds
            else { continue }
            return
        }
        throw fault("timeout must be a number with ms, s or min, of at most 15min")
    }

    /// Milliseconds that a read may take at most, as documented.
    private static let timeoutMax = 15 * 60_000

    private static func fault(_ text: String) -> RealtimeRefusal { RealtimeRefusal(.failed, text) }
}
