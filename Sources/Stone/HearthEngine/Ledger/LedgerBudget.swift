/// A budget of a day, and the reads of its holder.
package struct LedgerBudget: Hashable, Sendable {
    /// Whose reads count for a budget.
    package enum Holder: Hashable, Sendable {
        /// One program.
        case program(LedgerProgram)
        /// All programs of a unit, whatever their users and names are.
        case unit(String)
        /// All programs of a Unix user, whatever their units and names are.
        case user(UInt32)
    }

    /// Whose reads count.
    package let holder: Holder
    /// What the holder has read in the day.
    package let readCount: UInt64
    /// What the holder may read in the day; at least one.
    package let limit: UInt64

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - holder: Whose reads count.
    ///   - readCount: What the holder has read in the day.
    ///   - limit: What the holder may read in the day; at least one.
    package init(_ holder: Holder, readCount: UInt64, limit: UInt64) {
        self.holder = holder
        self.readCount = readCount
        self.limit = max(1, limit)
    }

    /// Whether nothing is left.
    package var isUsedUp: Bool { readCount >= limit }

    /// The used part in hundredths, at most 100. Rounded down, so that 100 is all.
    package var usedPercent: UInt64 {
        if isUsedUp { return 100 }
        let (product, isTooMuch) = readCount.multipliedReportingOverflow(by: 100)
        return isTooMuch ? readCount / (limit / 100) : product / limit
    }
}

extension LedgerBudget.Holder: CustomStringConvertible {
    package var description: String {
        switch self {
        case .program(let program): "\(program)"
        case .unit(let unit): "the unit \(unit)"
        case .user(let uid): "the user with uid \(uid)"
        }
    }
}
