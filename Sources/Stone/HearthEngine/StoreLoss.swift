package import HearthModel

/// What a store has lost, or may have lost, until an operator has taken note.
package struct StoreLoss: Hashable, Sendable {
    /// When it was noticed.
    package let noticedAt: Timestamp
    /// What happened, what was saved and what was lost, in sentences.
    package let account: String
    /// The file with the account. An operator who removes the file has taken note.
    package let path: String

    /// Tells of a loss.
    package init(noticedAt: Timestamp, account: String, path: String) {
        self.noticedAt = noticedAt
        self.account = account
        self.path = path
    }
}
