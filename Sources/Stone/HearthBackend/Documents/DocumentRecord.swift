package import HearthModel

/// A document with the versions that it had of late.
package struct DocumentRecord: Hashable, Sendable {
    /// As it is: found or missing.
    package private(set) var current: Document
    /// As it was, oldest first.
    package private(set) var past: [Document]

    /// A document with one known version.
    package init(_ current: Document) {
        self.current = current
        self.past = []
    }

    /// The document at a moment; `nil` if it was never heard of by then.
    package func version(at moment: SnapshotVersion) -> Document? {
        if current.version <= moment { return current }
        return past.last { $0.version <= moment }
    }

    /// Puts a newer version on top.
    mutating func append(_ document: Document) {
        past.append(current)
        current = document
    }

    /// Forgets the versions that nobody asks for who asks at `moment` or later.
    ///
    /// - Returns: Whether anything is left that such a reader could see.
    mutating func forget(before moment: SnapshotVersion) -> Bool {
        if current.version <= moment {
            past = []
        } else if let seen = past.lastIndex(where: { $0.version <= moment }) {
            // A missing document looks the same as one that was never heard of.
            past.removeSubrange(..<(past[seen].isMissing ? seen + 1 : seen))
        }
        return !(past.isEmpty && current.isMissing && current.version <= moment)
    }
}
