/// Why a JSON text is no node that may be stored.
package enum NodeError: Error, Hashable, Sendable {
    /// The text is no JSON.
    case notJSON(JSONError)
    /// There are more keys above each other than a path may have.
    case tooDeep(depthMax: Int)
    /// A member's name cannot be a key.
    case refusedKey(String, reason: String)
    /// A member is there twice.
    case duplicateKey(String)
    /// A priority is neither a number nor a string.
    case refusedPriority
    /// A `.value` is no leaf, or has siblings.
    case refusedValue
    /// A `.sv` is unknown, or has siblings, or is not allowed here.
    case refusedServerValue
    /// A string is longer than the service stores.
    case stringTooLong(byteCount: Int)
}

extension NodeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notJSON(let error): error.description
        case .tooDeep(let depthMax):
            "The value nests deeper than \(depthMax) keys, counted from the root of the database."
        case .refusedKey(let key, let reason):
            "\"\(ControlCharacters.escaped(String(key.prefix(80))))\" is no key: \(reason)."
        case .duplicateKey(let key):
            "The key \"\(ControlCharacters.escaped(key))\" is there twice among its siblings."
        case .refusedPriority:
            "A .priority must be a number, a string, null or a server value."
        case .refusedValue:
            "A .value must be a number, a string, a flag or a server value, without other children."
        case .refusedServerValue:
            "A .sv must be \"timestamp\" or {\"increment\": number}, without siblings, in what is written."
        case .stringTooLong(let byteCount):
            "A string has \(byteCount) bytes, and may have \(LeafValue.stringByteCountMax)."
        }
    }
}
