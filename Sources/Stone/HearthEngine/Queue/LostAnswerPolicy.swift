package import HearthModel

/// What is done so that a lost answer does no harm to a write that holds only once.
package struct LostAnswerPolicy: Hashable, Sendable {
    /// What becomes of a batch that may have been applied, holds only once and has no marker.
    package enum InDoubt: String, Hashable, Sendable, CaseIterable {
        /// It is sent again, and may then be applied twice.
        case resend
        /// It is put among the dead letters, as in doubt, and may not have been applied at all.
        case deadLetter
    }

    /// The collection in which batches that hold only once are marked; `nil` for none.
    package var markers: ResourcePath?
    /// What becomes of those without a marker.
    package var inDoubt = InDoubt.resend

    /// No markers, and everything is sent again.
    package init() {}
}
