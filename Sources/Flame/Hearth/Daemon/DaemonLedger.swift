import HearthEngine
import HearthModel
import HearthWire

/// The documents that the programs of this machine have read from Firestore, as Google bills them.
///
/// Days begin at midnight UTC. The daemon counts the documents that the backend sends; the bill is Google's.
public struct DaemonLedger: Hashable, Sendable {
    /// By what the ledger is added up.
    public enum Grouping: String, Hashable, Sendable, CaseIterable {
        /// A row for each program.
        case program
        /// A row for each query without its values.
        case query
        /// A row for each query that a process listens to now.
        case listener
        /// A row for each day.
        case day
    }

    /// A reader. Processes with the same Unix user, service and name are one program.
    public struct Program: Hashable, Sendable {
        /// The Unix user; `nil` for the daemon itself, and for the programs of users that share a row.
        public let uid: UInt32?
        /// The service's unit; `nil` if there is none.
        public let unit: String?
        /// The program's name, as the program says; empty if it says none.
        public let name: String
    }

    /// Documents read.
    public struct Reads: Hashable, Sendable {
        /// What the backend bills, or the row's share of it.
        public let billed: Int
        /// The price of the same reads if the program had had neither the daemon's cache nor anybody to share with.
        public let alone: Int

        /// The reads that nobody pays for; 0 if there are none.
        public var saved: Int { max(0, alone - billed) }
    }

    /// A budget of the present day.
    public struct Budget: Hashable, Sendable {
        /// Whose reads count.
        public enum Holder: String, Hashable, Sendable, CaseIterable {
            /// The reads of the program alone.
            case program
            /// The reads of all programs of the program's unit.
            case unit
            /// The reads of all programs of the program's Unix user.
            case user
        }

        /// Whose reads count.
        public let holder: Holder
        /// What was read of it.
        public let used: Int
        /// How many documents may be read in the day.
        public let limit: Int
    }

    /// A row of the ledger. A property is `nil` if the ledger was not added up by this property.
    public struct Row: Hashable, Sendable {
        /// The program.
        public let program: Program?
        /// The query without its values, such as `rooms where size >= ? limit 10`.
        public let query: String?
        /// The day, as `2026-11-23`.
        public let day: String?
        /// The number of the session that listens.
        public let sessionID: UInt64?
        /// When the session began to listen.
        public let since: Timestamp?
        /// The reads.
        public let reads: Reads
        /// Whether a budget keeps the program from the backend until the day ends.
        public let isStopped: Bool
        /// The budget of the present day that lets the program read least; `nil` if it may read any number.
        public let budget: Budget?
    }

    /// The midnight from which on the ledger counts here.
    public let since: Timestamp
    /// The rows: most reads first, days in their order.
    public let rows: [Row]
    /// All together, of everybody whom the process may see.
    public let total: Reads
    /// Documents that each program may read in a day; `nil` for any number.
    public let readBudget: Int?
    /// Documents that all programs of one Unix user together may read in a day; `nil` for any number.
    public let uidReadBudget: Int?
    /// Whether a program at the end of a budget is kept from the backend until the day ends.
    public let stopsAtBudget: Bool
}

extension Firestore {
    /// The documents that the programs of this machine have read from this database, and their
    /// price.
    ///
    /// Root and the daemon's own user see all programs. Any other user sees only programs of the same
    /// user.
    ///
    /// - Parameters:
    ///   - since: The time from whose day on, in UTC, the ledger is added up; `nil` for the present day.
    ///   - grouping: By what the ledger is added up.
    /// - Throws: `unavailable` if no daemon answers.
    public func daemonLedger(
        since: Timestamp? = nil, by grouping: DaemonLedger.Grouping = .program
    ) async throws -> DaemonLedger {
        let question = LedgerQuestion(
            since: since.map(\.model), by: LedgerQuestion.Grouping(grouping))
        let answer = try await operatorDesk.inquire(.ledger(question))
        guard case .ledger(let report) = answer else { throw operatorDesk.unexpected(answer) }
        return DaemonLedger(report)
    }
}

extension LedgerQuestion.Grouping {
    fileprivate init(_ grouping: DaemonLedger.Grouping) {
        self =
            switch grouping {
            case .program: .program
            case .query: .query
            case .listener: .listener
            case .day: .day
            }
    }
}

extension DaemonLedger {
    init(_ report: LedgerReport) {
        since = Timestamp(report.since)
        rows = report.rows.map(Row.init)
        total = Reads(report.total)
        readBudget = report.readBudget == 0 ? nil : Int(clamping: report.readBudget)
        uidReadBudget = report.uidReadBudget == 0 ? nil : Int(clamping: report.uidReadBudget)
        stopsAtBudget = report.stopsAtBudget
    }
}

extension DaemonLedger.Row {
    fileprivate init(_ row: LedgerReport.Row) {
        program = row.program.map {
            DaemonLedger.Program(uid: $0.uid, unit: $0.unit.isEmpty ? nil : $0.unit, name: $0.name)
        }
        query = row.query
        day = row.day.map { "\($0)" }
        sessionID = row.session
        since = row.since.map { Timestamp($0) }
        reads = DaemonLedger.Reads(row.sums)
        isStopped = row.isStopped
        budget = row.budget.map(DaemonLedger.Budget.init)
    }
}

extension DaemonLedger.Budget {
    fileprivate init(_ budget: LedgerBudget) {
        holder =
            switch budget.holder {
            case .program: .program
            case .unit: .unit
            case .user: .user
            }
        used = Int(clamping: budget.readCount)
        limit = Int(clamping: budget.limit)
    }
}

extension DaemonLedger.Reads {
    fileprivate init(_ sums: LedgerSums) {
        billed = Int(clamping: sums.reads)
        alone = Int(clamping: sums.aloneReads)
    }
}
