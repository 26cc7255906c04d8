package import HearthModel

/// What somebody wants to know of the ledger.
package struct LedgerQuestion: Hashable, Sendable {
    /// By what the ledger is added up.
    package enum Grouping: String, Hashable, Sendable, CaseIterable {
        /// A row for each program.
        case program
        /// A row for each shape of a query.
        case query
        /// A row for each query that a session listens to now, since it began.
        case listener
        /// A row for each day.
        case day
    }

    /// The time from whose day on the ledger is added up; `nil` for the present day.
    package var since: Timestamp?
    /// By what.
    package var grouping: Grouping

    /// Asks.
    package init(since: Timestamp? = nil, by grouping: Grouping = .program) {
        self.since = since
        self.grouping = grouping
    }
}

/// The ledger, added up.
package struct LedgerReport: Hashable, Sendable {
    /// The most rows of a report. The rest is one row, `others`.
    package static let rowCountMax = 1_000
    /// The most names that one Unix user brings into a report. The names of one user cannot crowd
    /// out the names of another user. The user's other programs are one row.
    package static let uidNameCountMax = 200

    /// One row: the parts of the grouping, and the sums.
    package struct Row: Hashable, Sendable {
        /// The program; `nil` if the row is of several.
        package var program: LedgerProgram?
        /// The shape of the queries, or the query of a listener.
        package var query: String?
        /// The day.
        package var day: LedgerDay?
        /// The session of a listener.
        package var session: UInt64?
        /// When the session began to listen.
        package var since: Timestamp?
        /// The reads.
        package var sums: LedgerSums
        /// Whether a budget keeps the program from the backend.
        package var isStopped = false
        /// The budget of the present day that lets the program read least; `nil` without one.
        package var budget: LedgerBudget?

        /// A row of sums.
        ///
        /// - Parameters:
        ///   - program: The program; `nil` if the row is of several programs.
        ///   - query: The shape of the queries, or the query of a listener; `nil` if the row is of
        ///     several.
        ///   - day: The day; `nil` if the row is of several days.
        ///   - sums: The reads.
        package init(
            program: LedgerProgram? = nil, query: String? = nil, day: LedgerDay? = nil,
            sums: LedgerSums = LedgerSums()
        ) {
            self.program = program
            self.query = query
            self.day = day
            self.sums = sums
        }
    }

    /// The midnight from which on the report counts.
    package var since: Timestamp
    /// The rows: most reads first, days in their order.
    package var rows: [Row]
    /// All together, of everybody whom the asker may see.
    package var total: LedgerSums
    /// The budget of each program for a day; 0 for none.
    package var readBudget: UInt64
    /// The budget of all programs of one Unix user together for a day; 0 for none.
    package var uidReadBudget: UInt64
    /// Whether a program stops at a budget.
    package var stopsAtBudget: Bool

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - since: The midnight from which on the report counts.
    ///   - rows: The rows: most reads first, days in their order.
    ///   - total: All together, of everybody whom the asker may see.
    ///   - readBudget: The budget of each program for a day; 0 for none.
    ///   - uidReadBudget: The budget of all programs of one Unix user together for a day; 0 for
    ///     none.
    ///   - stopsAtBudget: Whether a program stops at a budget.
    package init(
        since: Timestamp, rows: [Row], total: LedgerSums, readBudget: UInt64 = 0,
        uidReadBudget: UInt64 = 0, stopsAtBudget: Bool = false
    ) {
        self.since = since
        self.rows = rows
        self.total = total
        self.readBudget = readBudget
        self.uidReadBudget = uidReadBudget
        self.stopsAtBudget = stopsAtBudget
    }
}
