/// Why a target is watched; the backend is told for its statistics.
package enum TargetPurpose: Hashable, Sendable {
    /// A user listens.
    case listen
    /// The cache held another number of documents than the backend.
    case existenceFilterMismatch
    /// The same, and the Bloom filter could not tell which.
    case existenceFilterMismatchBloom
    /// A document in limbo is looked up.
    case limboResolution

    /// The value of the label `goog-listen-tags`; `nil` for a plain listen.
    package var label: String? {
        switch self {
        case .listen: nil
        case .existenceFilterMismatch: "existence-filter-mismatch"
        case .existenceFilterMismatchBloom: "existence-filter-mismatch-bloom"
        case .limboResolution: "limbo-document"
        }
    }
}

/// Where the backend may resume a target.
package enum ResumePoint: Hashable, Sendable {
    /// Everything must be said anew.
    case start
    /// The backend's own mark.
    case token(ResumeToken)
    /// A moment, as a bundle gives it.
    case readTime(SnapshotVersion)
}

/// A request to watch a target.
package struct ListenRequest: Hashable, Sendable {
    /// The name that the stream's messages will use.
    package let wireID: WireTargetID
    /// What to watch.
    package let target: Target
    /// Where to resume.
    package let resumePoint: ResumePoint
    /// How many documents the cache holds for it; only with a resume point.
    package let expectedCount: Int?
    /// Why.
    package let purpose: TargetPurpose

    /// Asks to watch.
    ///
    /// - Parameters:
    ///   - wireID: The name that the stream's messages will use.
    ///   - target: What to watch.
    ///   - resumePoint: Where to resume.
    ///   - expectedCount: How many documents the cache holds for the target, with a resume point;
    ///     otherwise `nil`.
    ///   - purpose: Why the engine watches the target.
    package init(
        wireID: WireTargetID, target: Target, resumePoint: ResumePoint = .start,
        expectedCount: Int? = nil, purpose: TargetPurpose = .listen
    ) {
        self.wireID = wireID
        self.target = target
        self.resumePoint = resumePoint
        self.expectedCount = expectedCount
        self.purpose = purpose
    }
}
