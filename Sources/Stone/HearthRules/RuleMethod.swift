/// What a request does to a document.
package enum RuleMethod: String, Hashable, Sendable, CaseIterable {
    case get
    case list
    case create
    case update
    case delete

    /// The methods that a word of an allow statement names; `nil` for any other word.
    static func named(_ word: String) -> Set<RuleMethod>? {
        switch word {
        case "read": [.get, .list]
        case "write": [.create, .update, .delete]
        default: RuleMethod(rawValue: word).map { [$0] }
        }
    }
}
