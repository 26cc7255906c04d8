/// A path as it is typed: segments between slashes. The path of a collection has an odd number of
/// segments.
struct PathText: Hashable, CustomStringConvertible {
    /// The names, none empty.
    let segments: [String]

    /// Splits a path; `nil` if it names nothing. Slashes at the ends count for nothing.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        // By bytes, as everybody else does: a mark behind a slash is no part of it.
        var parts = text.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        if parts.first == "" { parts.removeFirst() }
        if parts.last == "" { parts.removeLast() }
        guard !parts.isEmpty, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        segments = parts
    }

    /// Whether it names a document.
    var isDocument: Bool { segments.count.isMultiple(of: 2) }

    /// Whether it names a document with the document's database in front.
    var isFullName: Bool {
        segments.count >= 7 && !segments.count.isMultiple(of: 2) && segments[0] == "projects"
            && segments[2] == "databases" && segments[4] == "documents"
    }

    var description: String { segments.joined(separator: "/") }

    /// Whether no white space stands at the ends of a text.
    static func isTrimmed(_ text: String) -> Bool {
        guard let first = text.first, let last = text.last else { return false }
        return !first.isWhitespace && !last.isWhitespace
    }
}
