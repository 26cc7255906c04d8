package import HearthModel

/// What a store has lost, or may have lost, until an operator has taken note.
package struct StoreLoss: Hashable, Sendable {
    /// When it was noticed.
    package let noticedAt: Timestamp
    /// What happened, what was saved and what was lost, in sentences.
    package let account: String
    /// The file with the account. An operator who removes the file has taken note.
    package let path: String
    /// How many losses the account tells of. No wire has the number; the account tells it in words.
    package let count: Int

    /// Tells of a loss, or of several in one account.
    ///
    /// - Parameters:
    ///   - noticedAt: When the daemon noticed the loss.
    ///   - account: What happened, what was saved and what was lost, in sentences.
    ///   - path: The file with the account. An operator who removes the file has taken note.
    ///   - count: How many losses the account tells of. No wire has the number; the account tells
    ///     it in words.
    package init(noticedAt: Timestamp, account: String, path: String, count: Int = 1) {
        self.noticedAt = noticedAt
        self.account = account
        self.path = path
        self.count = count
    }
}
