/// How much the ledger keeps.
package enum LedgerLimits {
    /// Programs of a day that have rows of their own; the others share rows and a budget.
    package static let programCountMax = 64
    /// Rows of a day, for a program and a shape each; what is beyond goes to each program's row
    /// `others`, of which there are `programCountMax` at most besides.
    package static let rowCountMax = 256
    /// Reads of one target after which its sessions are charged, and budgets looked at.
    package static let unsettledCountMax: UInt64 = 64
    /// How long reads may be in memory alone: a crash loses no more.
    package static let unsavedTimeMax = Duration.seconds(60)
}
