package import HashTreeCollections
package import HearthModel

/// The changes that an event brings to a target.
package struct TargetChange: Hashable, Sendable {
    /// Where to resume; `nil` if the backend did not say.
    package let resumeToken: ResumeToken?
    /// Whether the backend has said all that matches.
    package let isCurrent: Bool
    /// Documents that joined, each once, in no order.
    package let added: [DocumentKey]
    /// Documents that were in the target and changed, each once, in no order.
    package let modified: [DocumentKey]
    /// Documents that left, likewise.
    package let removed: [DocumentKey]

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - resumeToken: Where to resume; `nil` if the backend did not say.
    ///   - isCurrent: Whether the backend has said all that matches.
    ///   - added: Documents that joined, each once, in no order.
    ///   - modified: Documents that were in the target and changed, each once, in no order.
    ///   - removed: Documents that left, each once, in no order.
    package init(
        resumeToken: ResumeToken?, isCurrent: Bool, added: [DocumentKey] = [],
        modified: [DocumentKey] = [], removed: [DocumentKey] = []
    ) {
        self.resumeToken = resumeToken
        self.isCurrent = isCurrent
        self.added = added
        self.modified = modified
        self.removed = removed
    }
}

/// All changes up to one consistent version.
package struct RemoteEvent: Hashable, Sendable {
    /// The version; zero for an event made up here.
    package let version: SnapshotVersion
    /// What happened to targets.
    package var targetChanges: [TargetID: TargetChange] = [:]
    /// Targets whose count did not fit, and how they are asked for anew. None of them is current.
    package var targetMismatches: [TargetID: TargetPurpose] = [:]
    /// Documents, found or missing; each once, in no order.
    package var documents: [Document] = []
    /// Documents that only lookups of limbo asked for.
    package var resolvedLimbo: TreeSet<DocumentKey> = []

    /// An event in which nothing happened.
    package init(version: SnapshotVersion) {
        self.version = version
    }
}
