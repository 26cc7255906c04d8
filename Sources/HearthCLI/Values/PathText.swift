/// A path as it is typed: segments between slashes. Collections have an odd number of them.
struct PathText: Hashable, CustomStringConvertible {
    /// The names, none empty.
    let segments: [String]

    /// Splits a path; `nil` if it names nothing. Slashes at the ends count for nothing.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        var parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.first == "" { parts.removeFirst() }
        if parts.last == "" { parts.removeLast() }
        guard !parts.isEmpty, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        segments = parts
    }

    /// Whether it names a document.
    var isDocument: Bool { segments.count.isMultiple(of: 2) }

    var description: String { segments.joined(separator: "/") }

    /// Whether no white space stands at the ends of a text.
    static func isTrimmed(_ text: String) -> Bool {
        guard let first = text.first, let last = text.last else { return false }
        return !first.isWhitespace && !last.isWhitespace
    }
}
