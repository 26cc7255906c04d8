package import HearthModel

/// What is kept of a target: where to resume it, and how it was last used.
package struct TargetData: Hashable, Sendable {
    /// Ours for the target.
    package let id: TargetID
    /// What is watched.
    package let target: Target
    /// Why it is watched.
    package var purpose: TargetPurpose
    /// When the target was last used.
    package var sequenceNumber: ListenSequenceNumber
    /// The version of the last snapshot that said something of it.
    package var snapshotVersion: SnapshotVersion
    /// The last version at which no document was in limbo; earlier results can be trusted.
    package var limboFreeVersion: SnapshotVersion
    /// Where to resume.
    package var resumeToken: ResumeToken?

    /// A target that was never heard of.
    ///
    /// - Parameters:
    ///   - id: The engine's number for the target.
    ///   - target: What is watched.
    ///   - purpose: Why the target is watched.
    ///   - sequenceNumber: When the target was last used.
    ///   - snapshotVersion: The version of the last snapshot that told of the target.
    ///   - limboFreeVersion: The last version at which no document was in limbo; earlier results
    ///     can be trusted.
    ///   - resumeToken: Where the backend resumes the target; `nil` to begin anew.
    package init(
        id: TargetID, target: Target, purpose: TargetPurpose = .listen,
        sequenceNumber: ListenSequenceNumber, snapshotVersion: SnapshotVersion = .zero,
        limboFreeVersion: SnapshotVersion = .zero, resumeToken: ResumeToken? = nil
    ) {
        self.id = id
        self.target = target
        self.purpose = purpose
        self.sequenceNumber = sequenceNumber
        self.snapshotVersion = snapshotVersion
        self.limboFreeVersion = limboFreeVersion
        self.resumeToken = resumeToken
    }

    /// Notes where the backend had got to, unless something later is known.
    mutating func resume(at token: ResumeToken, version: SnapshotVersion) {
        guard version >= snapshotVersion else { return }
        resumeToken = token
        snapshotVersion = version
    }
}
