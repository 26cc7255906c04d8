import HearthModel

/// The versions that a document has, and had of late, without the document's name.
struct DocumentRecord: Sendable {
    /// A document as it was left by one commit: found or missing.
    ///
    /// Shape: two times of whole microseconds since 1970, as commits have them, and fields as bytes if
    /// the fields are plain. A database holds many.
    struct Version: Sendable {
        private let changedAt: Int64
        private let createdAt: Int64
        private let fields: MapValue?

        init(_ document: Document) {
            changedAt = document.version.timestamp.microseconds
            createdAt = document.createdAt.timestamp.microseconds
            fields = document.isFound ? document.fields.packed : nil
        }

        /// The version as a document of a name.
        func document(_ key: DocumentKey) -> Document {
            let version = SnapshotVersion(Timestamp(microseconds: changedAt))
            guard let fields else { return .missing(key, at: version) }
            return .found(
                key, at: version, fields,
                createdAt: SnapshotVersion(Timestamp(microseconds: createdAt)))
        }

        fileprivate var isMissing: Bool { fields == nil }

        fileprivate func isThere(at moment: SnapshotVersion) -> Bool {
            changedAt <= moment.timestamp.microseconds
        }
    }

    /// As it is.
    private(set) var current: Version
    /// As it was, oldest first.
    private var past: [Version] = []

    /// A document with one known version.
    init(_ current: Version) {
        self.current = current
    }

    /// The document at a moment; `nil` if it was never heard of by then.
    func version(at moment: SnapshotVersion) -> Version? {
        if current.isThere(at: moment) { return current }
        return past.last { $0.isThere(at: moment) }
    }

    /// Puts a newer version on top.
    mutating func append(_ version: Version) {
        past.append(current)
        current = version
    }

    /// Forgets the versions that nobody asks for who asks at `moment` or later.
    ///
    /// - Returns: Whether anything is left that such a reader could see.
    mutating func forget(before moment: SnapshotVersion) -> Bool {
        if current.isThere(at: moment) {
            past = []
        } else if let seen = past.lastIndex(where: { $0.isThere(at: moment) }) {
            // A missing document looks the same as one that was never heard of.
            past.removeSubrange(..<(past[seen].isMissing ? seen + 1 : seen))
        }
        return !(past.isEmpty && current.isMissing && current.isThere(at: moment))
    }
}
