package import HearthEngine
import HearthModel

/// A line of `ledger.budgets`: what one unit or one Unix user may read in a day.
///
///     unit NAME.service COUNT | uid NUMBER COUNT
package struct ListedBudget: Hashable, Sendable {
    /// The most documents of a budget.
    package static let readCountMax: UInt64 = 1 << 40

    /// Whose programs it holds for.
    package let holder: LedgerBudget.Holder
    /// How many documents; 0 for any number.
    package let readCount: UInt64

    /// Reads a line; `nil` if it says something else.
    package init?(_ text: String) {
        let words = text.utf8Parts(" ").filter { !$0.isEmpty }
        guard words.count == 3, let count = UInt64(words[2]), count <= Self.readCountMax else {
            return nil
        }
        readCount = count
        switch words[0] {
        case "unit":
            let unit = String(words[1])
            // A unit below another is a user's own, which its user may name at will.
            guard ControlGroup.isUnit(unit), unit.hasSuffix(".service"),
                !unit.utf8.contains(UInt8(ascii: "/"))
            else { return nil }
            holder = .unit(LedgerProgram(uid: nil, unit: unit, name: "").unit)
        case "uid":
            guard let uid = UInt32(words[1]) else { return nil }
            holder = .user(uid)
        default: return nil
        }
    }
}

extension LedgerTerms {
    /// The budgets of single units and users; of two lines for one of them the later counts.
    mutating func setListed(_ lines: [String]) {
        listed = [:]
        for line in lines {
            if let budget = ListedBudget(line) { listed[budget.holder] = budget.readCount }
        }
    }
}
