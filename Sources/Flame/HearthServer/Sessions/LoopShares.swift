import Synchronization

/// Shares out the time of one event loop among the Unix users who use it.
///
/// A user who takes more than an equal part while other users are present owes time. The daemon
/// reads nothing from the user until the user has paid the time by waiting. Neither the number of
/// the user's connections nor the size of the requests matters. A user who is alone owes nothing.
package struct LoopShares: Sendable {
    private struct User {
        var seenAt: Duration
        /// The time that the user took beyond the user's part, as of `seenAt`.
        var debt = Duration.zero
    }

    private var users: [UInt32: User] = [:]

    /// Nobody has taken anything.
    package init() {}

    /// Notes the time that a user's request, or the answer to it, took.
    ///
    /// - Parameter now: By a clock that only runs forward.
    /// - Returns: How long his connections should be left alone.
    /// - Complexity: O(users).
    package mutating func charge(_ taken: Duration, to uid: UInt32, at now: Duration) -> Duration {
        forgetAbsent(but: uid, at: now)
        var user = users[uid] ?? User(seenAt: now)
        let part = LoopLimits.part / Double(max(users.count, 1))
        let others = users.keys.contains { $0 != uid }
        let paid = (now - user.seenAt) * part
        user.debt = others ? max(.zero, user.debt - paid) + taken : .zero
        user.seenAt = now
        users[uid] = user
        guard user.debt > LoopLimits.credit else { return .zero }
        return min((user.debt - LoopLimits.credit) / part, LoopLimits.pauseMax)
    }

    /// Makes a new table only if somebody is absent: most reads are of one who is alone.
    private mutating func forgetAbsent(but uid: UInt32, at now: Duration) {
        func isAbsent(_ entry: (key: UInt32, value: User)) -> Bool {
            entry.key != uid && now - entry.value.seenAt >= LoopLimits.absence
        }
        if users.contains(where: isAbsent) { users = users.filter { !isAbsent($0) } }
    }
}

/// The shares of all event loops.
package final class LoopShareTable: Sendable {
    private let shares = Mutex<[ObjectIdentifier: LoopShares]>([:])

    /// No loop has been used.
    init() {}

    /// Notes time as `LoopShares.charge` does.
    package func charge(
        _ taken: Duration, to uid: UInt32, on loop: ObjectIdentifier, at now: Duration
    ) -> Duration {
        shares.withLock { $0[loop, default: LoopShares()].charge(taken, to: uid, at: now) }
    }
}

/// How event loops are shared.
package enum LoopLimits {
    /// The part of a loop's time for all users together; the rest is kept for new users.
    package static let part = 0.8
    /// The time that a user may take at once. Some hundred requests.
    package static let credit = Duration.milliseconds(5)
    /// How long a user's connection is left alone at most.
    package static let pauseMax = Duration.seconds(1)
    /// A user who was absent for this time no longer counts.
    package static let absence = Duration.seconds(1)
}
