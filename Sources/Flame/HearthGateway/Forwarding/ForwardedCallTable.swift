import HearthModel
import Synchronization

/// How many calls of each user are on their way through the doors of a daemon.
///
/// One user's forwarded calls can thus not take all that the backend gives the daemon.
final class ForwardedCallTable: Sendable {
    private let counts = Mutex<[UInt32: Int]>([:])

    /// Lets a call of a user in.
    ///
    /// - Throws: `resourceExhausted` if the user has too many already.
    func enter(_ uid: UInt32, countMax: Int) throws(HearthError) {
        let isIn = counts.withLock { counts in
            guard counts[uid, default: 0] < countMax else { return false }
            counts[uid, default: 0] += 1
            return true
        }
        guard isIn else {
            throw HearthError(
                code: .resourceExhausted,
                message: "User \(uid) has \(countMax) calls at the backend already. Wait for some "
                    + "of them, or raise gateway.uidForwardCountMax.")
        }
    }

    /// A call that was let in has ended.
    func leave(_ uid: UInt32) {
        counts.withLock { counts in
            let count = counts[uid, default: 0] - 1
            precondition(count >= 0, "more calls of user \(uid) ended than had begun")
            counts[uid] = count == 0 ? nil : count
        }
    }
}
