package import HearthModel
package import HearthRules

/// One request to the emulator, with its outcome.
package struct RequestEntry: Sendable {
    /// Who asked.
    package enum Asker: Hashable, Sendable {
        /// A server, or whoever presents itself as the owner: rules do not apply.
        case owner
        /// A user by id, as a token names them.
        case user(String)
        /// Somebody without a token.
        case nobody
    }

    /// The request's place in the order in which requests ended, from 1; 0 until it has one.
    package internal(set) var number = 0
    /// When it came.
    package let at: Timestamp
    /// How long the answer took, or the beginning of the answer.
    package let duration: Duration
    /// The call, such as `Commit`; `Write` for each batch of a stream, `Listen` for each target;
    /// `Realtime.Put` and the like for the Realtime Database.
    package let method: String
    /// The database, `PROJECT/DATABASE`, or the tree's name; `nil` for a request that could not be
    /// read.
    package let database: String?
    /// The documents, collections or places that it is about, at most `pathCountMax`.
    package let paths: [String]
    /// How many there are in all.
    package let pathCount: Int
    /// Who asked.
    package let asker: Asker
    /// Why it failed; `nil` if it was done.
    package let error: HearthError?
    /// What the rules said; empty if they were not asked.
    package let verdicts: [RuleVerdict]

    /// Paths that are kept of one request.
    static let pathCountMax = 20

    /// About how many bytes of memory the entry holds.
    var byteCount: Int {
        let grounds = verdicts.flatMap(\.grounds)
        let texts = paths.reduce(0) { $0 + $1.utf8.count + 16 } + (error?.message.utf8.count ?? 0)
        return grounds.reduce(256 + texts) { $0 + $1.text.utf8.count + $1.outcome.utf8.count + 96 }
            + verdicts.reduce(0) { $0 + $1.path.utf8.count + 48 }
    }
}
