/// How far a batch has come.
package enum BatchState: String, Hashable, Sendable, CaseIterable {
    /// It waits for its turn.
    case queued
    /// An administrator keeps it back.
    case held
    /// It was sent, and the answer has not come: it may have been applied.
    case sentUnanswered
}
