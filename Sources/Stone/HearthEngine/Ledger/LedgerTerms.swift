/// What an administrator decides about the ledger.
package struct LedgerTerms: Hashable, Sendable {
    /// What happens when a program has used up the day's budget.
    package enum OnBudget: String, Hashable, Sendable, CaseIterable {
        /// The journal tells.
        case warn
        /// The journal tells, and the program reads no more from the backend until the day ends.
        case stop
    }

    /// The part of a budget at which the journal warns, in hundredths.
    package static let warningPercent: UInt64 = 80

    /// Documents that each program may have read from the backend in a day; 0 for any number.
    package var readBudget: UInt64 = 0
    /// What happens when a program has read so many.
    package var onBudget = OnBudget.warn
    /// Days that the ledger keeps.
    package var retentionDayCount = 90

    /// The defaults: no budget.
    package init() {}

    /// Whether a program may be kept from the backend.
    package var stopsAtBudget: Bool { readBudget > 0 && onBudget == .stop }

    /// The number of reads of a day at which the journal warns; `nil` without a budget.
    ///
    /// At least one, so that nobody is warned of nothing.
    package var warningCount: UInt64? {
        guard readBudget > 0 else { return nil }
        let (whole, rest) = readBudget.quotientAndRemainder(dividingBy: 100)
        return max(1, whole * Self.warningPercent + rest * Self.warningPercent / 100)
    }
}
