import Glibc
package import NIOCore
import Synchronization

/// Shares out the time of one event loop among the Unix users who use it.
///
/// A user who takes more than his part while other users are present owes time. The daemon reads
/// nothing from the user until the user has paid the time by waiting. A user's part is an equal
/// share, or more if the others have left more of theirs lately. Neither the number of the user's
/// connections nor the size of the requests matters. A user who is alone owes nothing.
package struct LoopShares: Sendable {
    private struct User {
        var seenAt: Duration
        /// The time that the user took beyond the user's part, as of `seenAt`.
        var debt = Duration.zero
        /// The part of the loop that the user took lately, as of `seenAt`.
        var rate = 0.0

        /// What is left of `rate` if the user takes nothing until `now`.
        func rate(at now: Duration) -> Double {
            rate * exp(-((now - seenAt) / LoopLimits.memory))
        }
    }

    private var users: [UInt32: User] = [:]

    /// Nobody has taken anything.
    package init() {}

    /// Notes the time that a user's request, or the answer to it, took.
    ///
    /// - Parameters:
    ///   - taken: The time that was taken.
    ///   - uid: The user.
    ///   - now: By a clock that only runs forward.
    /// - Returns: How long the user's connections should be left alone.
    /// - Complexity: O(users).
    package mutating func charge(_ taken: Duration, to uid: UInt32, at now: Duration) -> Duration {
        forgetAbsent(but: uid, at: now)
        var user = users[uid] ?? User(seenAt: now)
        users[uid] = nil
        let part = part(beside: users.values, at: now)
        let paid = (now - user.seenAt) * part
        user.debt = users.isEmpty ? .zero : max(.zero, user.debt - paid) + taken
        user.rate = user.rate(at: now) + taken / LoopLimits.memory
        user.seenAt = now
        users[uid] = user
        guard user.debt > LoopLimits.credit else { return .zero }
        return min((user.debt - LoopLimits.credit) / part, LoopLimits.pauseMax)
    }

    /// The part of a user beside others: an equal share, and what the others leave of theirs.
    private func part(beside others: some Collection<User>, at now: Duration) -> Double {
        let taken = others.reduce(0) { $0 + $1.rate(at: now) }
        return max(LoopLimits.part / Double(others.count + 1), LoopLimits.part - taken)
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
    private let loops = Mutex<[ObjectIdentifier: LoopShares]>([:])

    /// No loop has been used.
    package init() {}

    /// Notes what a user has taken of a loop's time.
    ///
    /// - Parameters:
    ///   - taken: The time that was taken.
    ///   - uid: The user.
    ///   - loop: The event loop.
    ///   - now: By the clock of event loops.
    /// - Returns: How long the user's connections should be left alone.
    package func charge(
        _ taken: TimeAmount, to uid: UInt32, on loop: any EventLoop, at now: NIODeadline = .now()
    ) -> TimeAmount {
        let taken = Duration.nanoseconds(taken.nanoseconds)
        let now = Duration.nanoseconds(Int64(clamping: now.uptimeNanoseconds))
        return loops.withLock { loops in
            TimeAmount(
                loops[ObjectIdentifier(loop), default: LoopShares()].charge(taken, to: uid, at: now)
            )
        }
    }

    /// Notes the time from `began` to now. To be called on the loop's thread.
    ///
    /// - Parameter hasRights: Whether the program may do anything at all where the program asks. Who
    ///   may do nothing pays `LoopLimits.priceWithoutRights` times the time.
    /// - Returns: How long the user's connections should be left alone.
    package func charge(
        since began: LoopMoment, to uid: UInt32, hasRights: Bool, on loop: any EventLoop
    ) -> TimeAmount {
        let now = NIODeadline.now()
        return charge(began.price(until: now, hasRights: hasRights), to: uid, on: loop, at: now)
    }
}

/// A moment in the work of an event loop, from which the loop's work is measured.
package struct LoopMoment {
    /// The moment by the clock of event loops.
    package let time: NIODeadline
    /// What the thread had used by then, or not long before.
    private let processorTime: Duration

    /// A moment at which the calling thread had used so much processor time.
    init(_ time: NIODeadline, processorTime: Duration) {
        self.time = time
        self.processorTime = processorTime
    }

    /// The moment that is now, on the loop's thread.
    package static func now() -> LoopMoment {
        let now = NIODeadline.now()
        let used = ThreadClock.recentProcessorTime(
            at: now.uptimeNanoseconds, ageMax: LoopLimits.doubtfulTime)
        return LoopMoment(now, processorTime: used)
    }

    /// What the loop's work since this moment costs the user. The call must be on the thread of
    /// this moment.
    func price(until now: NIODeadline, hasRights: Bool) -> TimeAmount {
        taken(until: now) * (hasRights ? 1 : LoopLimits.priceWithoutRights)
    }

    /// The work of the loop since this moment, on the thread of this moment.
    ///
    /// A busy machine takes the processor from a loop in the midst of a request, and the user of
    /// the request must not pay for the pause. So a long time counts as the processor time that the
    /// thread used meanwhile, and in the last moments before (`LoopLimits.doubtfulTime` at most).
    func taken(until now: NIODeadline) -> TimeAmount {
        let taken = now - time
        guard taken > TimeAmount(LoopLimits.doubtfulTime) else { return taken }
        return min(taken, TimeAmount(ThreadClock.processorTime - processorTime))
    }
}
