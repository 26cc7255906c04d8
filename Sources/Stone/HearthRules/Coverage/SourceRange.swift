/// A stretch of a source, in bytes from its start.
package struct SourceRange: Hashable, Sendable {
    /// The first byte.
    package let start: Int
    /// The byte behind the last.
    package let end: Int

    /// Whether another lies in this one.
    func holds(_ other: SourceRange) -> Bool {
        start <= other.start && other.end <= end
    }
}
