/// A memory of answers, which lets the daemon answer a repeated read without a turn.
///
/// The host reports each commit to the memory before any session hears of the commit. So a
/// remembered answer is never older than the news that the session has heard.
package protocol AnswerMemory<Reading, Changes>: AnyObject, Sendable {
    /// An answer that a turn gave.
    associatedtype Reading
    /// What a commit changed.
    associatedtype Changes

    /// Forgets the answers that a commit changed, and remembers the readings that still hold.
    ///
    /// `readings` are the readings of the group of the commit.
    func update(_ changes: Changes, _ readings: [Reading])

    /// Forgets everything.
    func forgetAll()
}
