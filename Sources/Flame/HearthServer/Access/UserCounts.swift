import Synchronization

/// How much of something each user has, of all connections of a daemon.
///
/// One user can thus not take all that there is for everybody.
package final class UserCounts: Sendable {
    private let counts = Mutex<[UInt32: Int]>([:])

    /// Nobody has any yet.
    package init() {}

    /// Counts one more of a user's, if he has not too many already.
    ///
    /// - Returns: Whether it was counted; `leave` must follow.
    package func enter(_ uid: UInt32, countMax: Int) -> Bool {
        counts.withLock { counts in
            guard counts[uid, default: 0] < countMax else { return false }
            counts[uid, default: 0] += 1
            return true
        }
    }

    /// One that was counted is over.
    package func leave(_ uid: UInt32) {
        counts.withLock { counts in
            let count = counts[uid, default: 0] - 1
            precondition(count >= 0, "more of user \(uid) ended than had begun")
            counts[uid] = count == 0 ? nil : count
        }
    }
}
