/// Adds rows up for a report.
package struct LedgerTally: Sendable {
    private struct Name: Hashable {
        var program: LedgerProgram?
        var shape: String?
        var day: LedgerDay?
    }

    private let grouping: LedgerQuestion.Grouping
    private let uid: UInt32?
    private var sums: [Name: LedgerSums] = [:]
    /// How many names each user's rows have brought.
    private var nameCounts: [UInt32?: Int] = [:]
    /// All together.
    package private(set) var total = LedgerSums()

    /// Nothing yet.
    ///
    /// - Parameter uid: Only this user's programs are added up; `nil` for all.
    package init(by grouping: LedgerQuestion.Grouping, ofUser uid: UInt32?) {
        self.grouping = grouping
        self.uid = uid
    }

    /// Adds a row, if the asker may see the row.
    package mutating func add(_ row: LedgerRow) {
        if let uid, row.name.program.uid != uid { return }
        total.add(row.sums)
        var name = Name()
        switch grouping {
        case .program: name.program = row.name.program
        case .query: name.shape = row.name.shape
        case .day: name.day = row.name.day
        case .listener: return
        }
        sums[bounded(name, row.name.program), default: LedgerSums()].add(row.sums)
    }

    /// The name under which a row is added up: its own while there is room.
    private mutating func bounded(_ name: Name, _ program: LedgerProgram) -> Name {
        if sums[name] != nil { return name }
        let count = nameCounts[program.uid] ?? 0
        let isRoom = sums.count < LedgerReport.rowCountMax - 1
        // Days are nobody's invention.
        if isRoom, grouping == .day || count < LedgerReport.uidNameCountMax {
            nameCounts[program.uid] = count + 1
            return name
        }
        switch grouping {
        case .program, .listener:
            let others = Name(program: program.amongOthers(keepsUnit: false))
            return isRoom || sums[others] != nil ? others : Name(program: .others)
        case .query, .day: return Name(shape: "others")
        }
    }

    /// The rows so far: days in their order, all else with the most reads first.
    package var rows: [LedgerReport.Row] {
        let rows = sums.map { name, sums in
            LedgerReport.Row(program: name.program, query: name.shape, day: name.day, sums: sums)
        }
        return rows.sorted { left, right in
            if let left = left.day, let right = right.day { return left < right }
            if left.sums.reads != right.sums.reads { return left.sums.reads > right.sums.reads }
            if left.sums.aloneReads != right.sums.aloneReads {
                return left.sums.aloneReads > right.sums.aloneReads
            }
            return left.label.utf8.lexicographicallyPrecedes(right.label.utf8)
        }
    }
}

extension LedgerReport.Row {
    fileprivate var label: String { query ?? program.map { "\($0)" } ?? "" }
}
