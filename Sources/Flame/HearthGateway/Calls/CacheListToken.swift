import HearthModel

/// The place at which a list from the cache goes on: the last element of the page before.
///
/// Elements that come or go between two pages move no others: nothing is told twice or left out.
///
/// Shape: `hearth-cache/` and the element, an id or a path. Tokens of the backend look otherwise, so
/// each page is answered by who answered the page before.
struct CacheListToken: Hashable, Sendable {
    private static let prefix = "hearth-cache/"

    /// The last element of the page before.
    let last: String

    /// The place behind an element.
    init(after last: String) {
        self.last = last
    }

    /// Reads a token; `nil` for an empty text and for a token of the backend.
    init?(_ text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        last = String(Substring(text.utf8.dropFirst(Self.prefix.utf8.count)))
    }

    /// The token as clients keep it.
    var text: String { Self.prefix + last }
}
