import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// Budgets of programs, units and users, and the names that users' programs take.
struct LedgerBudgetTests {
    private let noon = Timestamp(seconds: 86_400 * 20_000 + 43_200, nanoseconds: 0)

    private func program(
        _ name: String, uid: UInt32 = 1_000, unit: String = ""
    ) -> LedgerProgram {
        LedgerProgram(uid: uid, unit: unit, name: name)
    }

    private func ledger(
        each: UInt64 = 0, user: UInt64 = 0, listed: [LedgerBudget.Holder: UInt64] = [:]
    ) -> Ledger {
        Ledger(terms(each: each, user: user, listed: listed), day: LedgerDay(of: noon))
    }

    private func terms(
        each: UInt64 = 0, user: UInt64 = 0, listed: [LedgerBudget.Holder: UInt64] = [:]
    ) -> LedgerTerms {
        var terms = LedgerTerms()
        terms.readBudget = each
        terms.uidReadBudget = user
        terms.listed = listed
        terms.onBudget = .stop
        return terms
    }

    /// A program of a session of its own reads.
    private func read(_ count: UInt64, _ program: LedgerProgram, _ ledger: inout Ledger) {
        let session = UInt64(ledger.total.reads + 10)
        ledger.introduce(session, as: program)
        ledger.read(count, QueryShape(stored: "rooms"), by: session, at: noon)
        ledger.forget(session)
    }

    // MARK: Users

    @Test func `eighty names of one user leave another's row and budget as they are`() {
        var ledger = ledger(each: 10)
        for number in 0..<80 { read(9, program("name \(number)"), &ledger) }
        read(9, program("till", uid: 2_000), &ledger)
        read(1, program("other till", uid: 2_000), &ledger)
        let others = ledger.rowsInMemory.filter { $0.name.program.uid == 2_000 }
        #expect(Set(others.map(\.name.program.name)) == ["till", "other till"])
        #expect(others.map(\.sums.reads).sorted() == [1, 9])
        #expect(!ledger.isStopped(program("till", uid: 2_000)))
        #expect(!ledger.isStopped(program("third", uid: 2_000)))
        // The user's own programs beyond the bound share a row and a budget, which is used up.
        #expect(ledger.isStopped(program("name 81")))
        #expect(!ledger.isStopped(program("name 1")))
    }

    @Test func `a program does not escape its user's budget by taking another name or unit`() {
        var ledger = ledger(each: 10, user: 25)
        for number in 0..<3 { read(9, program("name \(number)"), &ledger) }
        #expect(ledger.isStopped(program("name 0")))
        #expect(ledger.isStopped(program("a new name")))
        #expect(ledger.isStopped(program("a new name", unit: "new.service")))
        #expect(!ledger.isStopped(program("name 0", uid: 2_000)))
        #expect(ledger.stoppingBudget(of: program("new"))?.holder == .user(1_000))
        #expect(ledger.stoppingBudget(of: program("new"))?.readCount == 27)
    }

    @Test func `a listed user has that budget in the place of everybody's`() {
        var ledger = ledger(user: 5, listed: [.user(1_000): 20, .user(3_000): 0])
        for uid: UInt32 in [1_000, 2_000, 3_000] { read(9, program("a", uid: uid), &ledger) }
        #expect(!ledger.isStopped(program("b")))
        #expect(ledger.isStopped(program("b", uid: 2_000)))
        #expect(!ledger.isStopped(program("b", uid: 3_000)))
        #expect(ledger.terms.key(of: .user(1_000)) == "ledger.budgets")
        #expect(ledger.terms.key(of: .user(2_000)) == "ledger.uidReadBudget")
    }

    @Test func `a user's news comes besides the program's, each once`() {
        var ledger = ledger(each: 10, user: 12)
        read(9, program("a"), &ledger)
        #expect(
            ledger.takeNews() == [
                .warned(LedgerBudget(.program(program("a")), readCount: 9, limit: 10)),
                .warned(LedgerBudget(.user(1_000), readCount: 9, limit: 12)),
            ])
        read(4, program("b"), &ledger)
        #expect(
            ledger.takeNews() == [
                .reached(LedgerBudget(.user(1_000), readCount: 13, limit: 12))
            ])
        read(1, program("b"), &ledger)
        #expect(ledger.takeNews().isEmpty)
    }

    @Test func `users beyond the named ones have a row and a budget each, up to a bound`() {
        var ledger = ledger(each: 10, user: 15)
        for uid in 0..<UInt32(3_000) {
            read(4, program("a", uid: uid), &ledger)
            read(4, program("b", uid: uid), &ledger)
        }
        let rows = ledger.rowsInMemory
        let named = LedgerLimits.namedUserCountMax
        #expect(rows.count == 2 * named + (LedgerLimits.userCountMax - named) + 1)
        #expect(rows.reduce(0) { $0 + $1.sums.reads } == 24_000)
        #expect(!ledger.isStopped(program("c", uid: 5)))
        read(3, program("c", uid: 500), &ledger)
        #expect(ledger.isStopped(program("d", uid: 500)))
        #expect(!ledger.isStopped(program("d", uid: 501)))
    }

    @Test func `users beyond those with rows share the smaller of a program's and a user's budget`()
    {
        var ledger = ledger(user: 15)
        for uid in 0..<UInt32(LedgerLimits.userCountMax + 4) {
            read(4, program("a", uid: uid), &ledger)
        }
        #expect(!ledger.isStopped(program("a", uid: 5)))
        #expect(ledger.isStopped(program("a", uid: 5_000)))
        #expect(ledger.stoppingBudget(of: program("a", uid: 5_000))?.limit == 15)
        let others = LedgerBudget.Holder.program(.others)
        #expect(terms(user: 15).key(of: others) == "ledger.uidReadBudget")
        #expect(terms(each: 10, user: 15).limit(of: others) == 10)
        #expect(terms(each: 10, user: 15).key(of: others) == "ledger.readBudget")
        #expect(terms(each: 10).limit(of: others) == 10)
        #expect(terms().limit(of: others) == nil)
    }

    @Test func `a user beyond the named ones gets no names by beginning in a listed unit`() {
        var ledger = ledger(listed: [.unit("menu.service"): 1_000])
        for uid in 0..<UInt32(LedgerLimits.namedUserCountMax + 8) {
            read(1, program("menu", uid: uid, unit: "menu.service"), &ledger)
            read(1, program("a", uid: uid), &ledger)
        }
        let named = ledger.rowsInMemory.filter { $0.name.program.name == "a" }
        #expect(named.count == LedgerLimits.namedUserCountMax)
    }

    // MARK: Units

    @Test func `a listed unit has one budget for all its programs, in the place of their own`() {
        var ledger = ledger(each: 5, listed: [.unit("menu.service"): 20])
        read(12, program("menu", unit: "menu.service"), &ledger)
        #expect(!ledger.isStopped(program("menu", unit: "menu.service")))
        read(9, program("menu", uid: 2_000, unit: "menu.service"), &ledger)
        #expect(ledger.isStopped(program("menu", unit: "menu.service")))
        #expect(ledger.isStopped(program("another", uid: 3_000, unit: "menu.service")))
        #expect(!ledger.isStopped(program("menu", uid: 2_000)))
    }

    @Test func `a listed unit's programs among the others of a user still count for the unit`() {
        var ledger = ledger(listed: [.unit("menu.service"): 20])
        for number in 0..<80 { read(1, program("name \(number)"), &ledger) }
        read(21, program("menu", unit: "menu.service"), &ledger)
        #expect(ledger.isStopped(program("anything", unit: "menu.service")))
        #expect(!ledger.isStopped(program("anything")))
        // And after a restart.
        var second = self.ledger(listed: [.unit("menu.service"): 20])
        second.restore(ledger.unsavedRows, at: noon)
        #expect(second.isStopped(program("anything", unit: "menu.service")))
    }

    // MARK: Restarts and reports

    @Test func `a user's use and names outlast a restart`() {
        var first = ledger(user: 100)
        for number in 0..<80 { read(1, program("name \(number)"), &first) }
        read(3, program("till", uid: 2_000), &first)
        var second = ledger(user: 80)
        second.restore(first.unsavedRows, at: noon)
        #expect(second.isStopped(program("new")))
        #expect(!second.isStopped(program("new", uid: 2_000)))
        read(1, program("name 90"), &second)
        #expect(second.rowsInMemory.count == first.rowsInMemory.count)
    }

    @Test func `a budget that is listed or raised in the day counts what was read before`() {
        var ledger = ledger(each: 10)
        read(12, program("a", unit: "menu.service"), &ledger)
        #expect(ledger.isStopped(program("a", unit: "menu.service")))
        ledger.setTerms(terms(each: 10, listed: [.unit("menu.service"): 20]))
        #expect(!ledger.isStopped(program("a", unit: "menu.service")))
        #expect(ledger.nearestBudget(of: program("a", unit: "menu.service"))?.usedPercent == 60)
        ledger.setTerms(terms(user: 12))
        #expect(ledger.isStopped(program("a", unit: "menu.service")))
        ledger.setTerms(LedgerTerms())
        #expect(ledger.nearestBudget(of: program("a", unit: "menu.service")) == nil)
    }

    @Test func `one user's names do not crowd another's out of a report`() {
        var tally = LedgerTally(by: .program, ofUser: nil)
        for number in 0..<3_000 {
            tally.add(row(program("name \(number)")))
        }
        tally.add(row(program("till", uid: 2_000)))
        let rows = tally.rows
        #expect(rows.count == LedgerReport.uidNameCountMax + 2)
        #expect(rows.contains { $0.program == program("till", uid: 2_000) })
        #expect(rows.contains { $0.program == program("others") && $0.sums.reads == 2_800 })
        #expect(tally.total.reads == 3_001)
    }

    @Test func `a report of many users has no more rows than a report may`() {
        var tally = LedgerTally(by: .program, ofUser: nil)
        for uid in 0..<UInt32(3_000) { tally.add(row(program("a", uid: uid))) }
        #expect(tally.rows.count <= LedgerReport.rowCountMax)
        #expect(tally.rows.reduce(0) { $0 + $1.sums.reads } == 3_000)
    }

    private func row(_ program: LedgerProgram) -> LedgerRow {
        LedgerRow(
            LedgerRow.Name(day: LedgerDay(1), program: program, shape: "rooms"),
            sums: LedgerSums(reads: 1, aloneReads: 1))
    }

    @Test func `the used part of a budget is all only if nothing is left`() {
        let holder = LedgerBudget.Holder.user(1)
        #expect(LedgerBudget(holder, readCount: 999, limit: 1_000).usedPercent == 99)
        #expect(LedgerBudget(holder, readCount: 1_000, limit: 1_000).usedPercent == 100)
        #expect(LedgerBudget(holder, readCount: .max - 1, limit: .max).usedPercent <= 100)
        #expect(LedgerBudget(holder, readCount: 0, limit: 0).usedPercent == 0)
    }
}
