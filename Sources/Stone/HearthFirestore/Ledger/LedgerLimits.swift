/// How much the ledger keeps.
///
/// Every bound is for one user: the names that a user's programs take change no row and no budget of another
/// user.
package enum LedgerLimits {
    /// Unix users of a day whose programs have rows of their own; the programs of a user beyond share
    /// one row of the user.
    package static let namedUserCountMax = 32
    /// Unix users of a day that have rows at all; the users beyond share one row. No machine has so many
    /// by itself, but a user may have 65,536 subordinate uids.
    package static let userCountMax = 1_024
    /// Programs of a user in a day that have rows and a budget of their own; the user's others share a
    /// row and a budget.
    package static let uidProgramCountMax = 32
    /// Rows of a user in a day, for a program and a shape each; what is beyond goes to each program's
    /// row `others`.
    package static let uidRowCountMax = 128
    /// After this many reads of one target, the ledger charges the target's sessions and looks at
    /// their budgets.
    package static let unsettledCountMax: UInt64 = 64
    /// How long reads may be in memory alone: a crash loses no more.
    package static let unsavedTimeMax = Duration.seconds(60)
}
