package import HearthModel

/// How the engine keeps a lost answer from harming a batch that holds only once.
///
/// A batch holds only once if applying the batch twice differs from applying the batch once.
package struct LostAnswerPolicy: Hashable, Sendable {
    /// What becomes of a batch that may have been applied, holds only once and has no marker.
    package enum InDoubt: String, Hashable, Sendable, CaseIterable {
        /// The engine sends the batch again; the backend may then apply the batch twice.
        case resend
        /// The engine puts the batch among the dead letters, as in doubt.
        ///
        /// Perhaps the backend never applied the batch.
        case deadLetter
    }

    /// The collection in which batches that hold only once are marked; `nil` for none.
    package var markers: ResourcePath?
    /// What becomes of a batch in doubt that has no marker.
    package var inDoubt = InDoubt.resend

    /// No markers, and everything is sent again.
    package init() {}
}
