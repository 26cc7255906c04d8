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
    /// Documents that all programs of one Unix user together may have read; 0 for any number.
    package var uidReadBudget: UInt64 = 0
    /// Budgets of single units and Unix users; 0 for any number.
    package var listed: [LedgerBudget.Holder: UInt64] = [:]
    /// What happens when a program has read so many.
    package var onBudget = OnBudget.warn
    /// Days that the ledger keeps.
    package var retentionDayCount = 90

    /// The defaults: no budget.
    package init() {}

    /// Whether a program may be kept from the backend.
    package var stopsAtBudget: Bool { hasBudget && onBudget == .stop }

    /// Whether there is a budget at all.
    package var hasBudget: Bool {
        readBudget > 0 || uidReadBudget > 0 || listed.contains { $0.value > 0 }
    }

    /// Whose budgets may hold for a program: the program's own, its unit's and its user's.
    package func holders(of program: LedgerProgram) -> [LedgerBudget.Holder] {
        var holders = [LedgerBudget.Holder.program(program)]
        if !program.unit.isEmpty { holders.append(.unit(program.unit)) }
        if let uid = program.uid { holders.append(.user(uid)) }
        return holders
    }

    /// What a holder may read in a day; `nil` for any number.
    ///
    /// A listed unit has its budget in the place of its programs' own. Users that share one row share the
    /// smaller one of the budgets of a program and of a user.
    package func limit(of holder: LedgerBudget.Holder) -> UInt64? {
        let limit: UInt64
        switch holder {
        case .program(let program):
            guard program.hasBudget, listed[.unit(program.unit)] == nil else { return nil }
            limit = program == .others ? othersBudget : readBudget
        case .unit: limit = listed[holder] ?? 0
        case .user: limit = listed[holder] ?? uidReadBudget
        }
        return limit > 0 ? limit : nil
    }

    /// The budget of the users that share one row: without it they would have no user's budget.
    private var othersBudget: UInt64 {
        [readBudget, uidReadBudget].filter { $0 > 0 }.min() ?? 0
    }

    /// The key of the configuration that gives a holder its budget.
    package func key(of holder: LedgerBudget.Holder) -> String {
        switch holder {
        case .program(let program):
            program == .others && othersBudget != readBudget
                ? "ledger.uidReadBudget" : "ledger.readBudget"
        case .unit: "ledger.budgets"
        case .user: listed[holder] == nil ? "ledger.uidReadBudget" : "ledger.budgets"
        }
    }

    /// The number of reads of a day at which the journal warns.
    ///
    /// At least one, so that no warning comes before the first read.
    package static func warningCount(of limit: UInt64) -> UInt64 {
        let (whole, rest) = limit.quotientAndRemainder(dividingBy: 100)
        return max(1, whole * warningPercent + rest * warningPercent / 100)
    }
}
