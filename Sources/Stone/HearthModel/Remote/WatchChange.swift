/// One message of the watch stream, decoded.
package enum WatchChange: Hashable, Sendable {
    /// A document changed, was deleted, or joined or left targets.
    case document(DocumentWatchChange)
    /// How many documents the backend counts in a target.
    case existenceFilter(ExistenceFilter)
    /// Targets were added, removed, reset, became current, or a snapshot is complete.
    case target(TargetWatchChange)

    /// Whether everything up to a version has been said.
    package var isSnapshot: Bool {
        if case .target(let change) = self { change.isSnapshot } else { false }
    }
}

/// A document as the watch stream tells of it.
package struct DocumentWatchChange: Hashable, Sendable {
    /// The targets that the document now belongs to.
    package let updated: [WireTargetID]
    /// The targets that it left.
    package let removed: [WireTargetID]
    /// Its name.
    package let key: DocumentKey
    /// The document now, found or missing; `nil` if the document only left targets.
    package let document: Document?
    /// When the document had left targets, if the message says only that; zero if unknown.
    package var readAt = SnapshotVersion.zero

    /// Takes the message's parts.
    ///
    /// - Parameters:
    ///   - updated: The targets that the document now belongs to.
    ///   - removed: The targets that the document left.
    ///   - key: The document's name.
    ///   - document: The document now, found or missing; `nil` if the document only left targets.
    package init(
        updated: [WireTargetID], removed: [WireTargetID], key: DocumentKey, document: Document?
    ) {
        self.updated = updated
        self.removed = removed
        self.key = key
        self.document = document
    }
}

/// The backend's count of a target, and perhaps the names that did not change.
package struct ExistenceFilter: Hashable, Sendable {
    /// The target.
    package let target: WireTargetID
    /// How many documents match now.
    package let count: Int
    /// The names that matched at the resume point and still do; `nil` if absent or unusable.
    package let unchangedNames: BloomFilter?

    /// Takes the message's parts.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - count: How many documents match now.
    ///   - unchangedNames: The names that matched at the resume point and still do; `nil` if absent
    ///     or unusable.
    package init(target: WireTargetID, count: Int, unchangedNames: BloomFilter?) {
        self.target = target
        self.count = count
        self.unchangedNames = unchangedNames
    }
}

/// A change of targets themselves.
package struct TargetWatchChange: Hashable, Sendable {
    /// What happened.
    package enum Kind: Hashable, Sendable {
        /// Nothing but a new token or snapshot.
        case noChange
        /// The backend took up the targets.
        case added
        /// The backend let go of the targets; with a cause, it refused them.
        case removed(HearthError?)
        /// All that the targets match has been said.
        case current
        /// All that was said of the targets is void.
        case reset
    }

    /// What happened.
    package let kind: Kind
    /// To which targets; none means all.
    package let targets: [WireTargetID]
    /// Where to resume them.
    package let resumeToken: ResumeToken?
    /// If `targets` is empty, the backend has told every change up to this moment; zero if unset.
    package let readAt: SnapshotVersion

    /// Whether everything up to a version has been said.
    package var isSnapshot: Bool { targets.isEmpty && readAt > .zero && !isRefusal }

    /// Whether the backend refused the targets.
    package var isRefusal: Bool { if case .removed(.some) = kind { true } else { false } }

    /// Takes the message's parts.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - targets: The targets that `kind` happened to; none means all.
    ///   - resumeToken: Where to resume the targets; `nil` if the message does not say.
    ///   - readAt: If `targets` is empty, the backend has told every change up to this moment; zero
    ///     if unset.
    package init(
        kind: Kind, targets: [WireTargetID], resumeToken: ResumeToken? = nil,
        readAt: SnapshotVersion = .zero
    ) {
        self.kind = kind
        self.targets = targets
        self.resumeToken = resumeToken
        self.readAt = readAt
    }
}
