/// What is known of a value before a rule is evaluated.
enum RealtimeType: Sendable {
    case boolean, number, string, null
    /// A boolean, a number, a string or null: which, only the data tells.
    case primitive
    /// A part of `auth`: whatever the caller's token holds.
    case any
    case snapshot
    case query

    /// Whether only evaluating tells what it is.
    var isOpen: Bool { self == .primitive || self == .any }

    /// Whether it is a type, or may be.
    func admits(_ other: RealtimeType) -> Bool { self == other || isOpen }

    /// The type in words, for errors.
    var text: String {
        switch self {
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .null: "null"
        case .primitive: "a value of the database"
        case .any: "a part of auth"
        case .snapshot: "a snapshot"
        case .query: "the query"
        }
    }
}

/// What every rule of a place may name.
struct RealtimeScope: Sendable {
    /// Whether there is a `newData`: in `.write` and `.validate`.
    let hasNewData: Bool
    /// The names of wildcards from the root to the place, each with its `$`.
    let wildcards: [String]
}
