/// Answers that are remembered between turns, so that they can be given without one.
///
/// The host tells of each commit before anybody hears of it, so no answer is older than what its
/// session was told.
package protocol AnswerMemory<Reading, Changes>: AnyObject, Sendable {
    /// An answer that a turn gave.
    associatedtype Reading
    /// What a commit changed.
    associatedtype Changes

    /// Forgets what a commit changed, and remembers what its group read and did not change.
    func update(_ changes: Changes, _ readings: [Reading])

    /// Forgets everything.
    func forgetAll()
}
