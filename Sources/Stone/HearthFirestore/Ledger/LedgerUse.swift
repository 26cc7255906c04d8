import HashTreeCollections
import HearthEngine

/// What Unix users, units and programs have read in one day, and the names of the ledger's rows for
/// these reads.
///
///     program > its own row              while its user has less than uidProgramCountMax
///             > the user's row `others`  beyond
///             > the row `others` of all  if there are userCountMax users already
///
/// A user's names take room of that user alone.
struct LedgerUse: Sendable {
    private struct User: Sendable {
        /// What all programs have read.
        var readCount: UInt64 = 0
        /// What each program has read that has a row.
        var programs: TreeDictionary<LedgerProgram, UInt64> = [:]
        /// The rows of programs and shapes.
        var rowCount = 0
        /// Whether programs and shapes have rows of their own.
        var hasNames: Bool
    }

    /// The users; those without a number are the daemon itself and whoever shares a row.
    private var users: TreeDictionary<UInt32?, User> = [:]
    /// What each unit of a row has read.
    private var units: TreeDictionary<String, UInt64> = [:]
    private var namedUserCount = 0

    // MARK: Names

    /// The program whose row and whose budget count for a program.
    func booked(_ program: LedgerProgram, _ terms: LedgerTerms) -> LedgerProgram {
        if program.uid == nil { return program }
        let user = users[program.uid]
        if user == nil, users.count >= LedgerLimits.userCountMax { return .others }
        if user?.programs[program] != nil { return program }
        let hasNames = user?.hasNames ?? (namedUserCount < LedgerLimits.namedUserCountMax)
        if hasNames, user?.programs.count ?? 0 < LedgerLimits.uidProgramCountMax { return program }
        return program.amongOthers(keepsUnit: terms.listed[.unit(program.unit)] != nil)
    }

    /// Whether one more row of a program may have a shape of its own.
    func hasRoom(for program: LedgerProgram) -> Bool {
        guard let user = users[program.uid] else { return true }
        return user.hasNames && user.rowCount < LedgerLimits.uidRowCountMax
    }

    /// A row of a program that has been booked comes to be.
    mutating func addRow(of program: LedgerProgram) {
        users[program.uid]?.rowCount += 1
    }

    // MARK: Reads

    /// Counts reads of a program that `booked` has named.
    ///
    /// - Returns: Whether the program had no row before.
    mutating func add(_ reads: UInt64, _ program: LedgerProgram) -> Bool {
        var user = users[program.uid] ?? newUser(program)
        let isNew = user.programs[program] == nil
        user.readCount = user.readCount.added(reads)
        user.programs[program] = (user.programs[program] ?? 0).added(reads)
        users[program.uid] = user
        if !program.unit.isEmpty {
            units[program.unit] = (units[program.unit] ?? 0).added(reads)
        }
        return isNew
    }

    private mutating func newUser(_ program: LedgerProgram) -> User {
        // Only a user with names has a program that is not among the others.
        let isAmongOthers =
            program == program.amongOthers(keepsUnit: false)
            || program == program.amongOthers(keepsUnit: true)
        let hasNames =
            program.uid == nil || !isAmongOthers
            || namedUserCount < LedgerLimits.namedUserCountMax
        if hasNames, program.uid != nil { namedUserCount += 1 }
        return User(hasNames: hasNames)
    }

    /// What a holder of a budget has read.
    func readCount(of holder: LedgerBudget.Holder) -> UInt64 {
        switch holder {
        case .program(let program): users[program.uid]?.programs[program] ?? 0
        case .unit(let unit): units[unit] ?? 0
        case .user(let uid): users[uid]?.readCount ?? 0
        }
    }

    /// The budgets that hold for a program.
    func budgets(of program: LedgerProgram, _ terms: LedgerTerms) -> [LedgerBudget] {
        guard terms.hasBudget else { return [] }
        return terms.holders(of: booked(program, terms)).compactMap { holder in
            terms.limit(of: holder).map {
                LedgerBudget(holder, readCount: readCount(of: holder), limit: $0)
            }
        }
    }
}
