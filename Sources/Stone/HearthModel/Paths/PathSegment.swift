/// One name of a path: the id of a collection or of a document. Never empty, without a slash.
///
/// Code that joins segments to a path need not check the names again.
package struct PathSegment: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name.
    package let string: String

    /// Reads a name from outside.
    ///
    /// - Throws: `PathError.refusedSegment` for no name at all, and for one that holds a slash.
    package init(parsing text: String) throws(PathError) {
        if let reason = Self.fault(of: text) { throw .refusedSegment(text, reason: reason) }
        self.string = text
    }

    /// Takes a piece of a path, which has been read already.
    init(unchecked string: String) {
        self.string = string
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { utf8Equals(lhs.string, rhs.string) }
    package static func < (lhs: Self, rhs: Self) -> Bool {
        ResourcePath.compareSegments(lhs.string, rhs.string) < 0
    }

    package func hash(into hasher: inout Hasher) { hashUTF8(string, into: &hasher) }

    package var description: String { string }

    private static func fault(of text: String) -> String? {
        if text.isEmpty { return "it is empty" }
        return text.utf8.contains(UInt8(ascii: "/")) ? "it holds a slash" : nil
    }
}

/// Names that stand in our own source. What comes from outside is no literal and is parsed.
extension PathSegment: ExpressibleByStringLiteral {
    /// Takes a literal, which must be a name.
    package init(stringLiteral text: String) {
        precondition(Self.fault(of: text) == nil, "\"\(text)\" in the source is no name")
        self.string = text
    }
}
