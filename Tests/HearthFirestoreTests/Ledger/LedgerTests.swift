import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// The ledger alone: sharing, days, budgets and bounds.
struct LedgerTests {
    private let noon = Timestamp(seconds: 86_400 * 20_000 + 43_200, nanoseconds: 0)
    private let target = TargetID(2)
    private let rooms = collection("rooms").target

    private func program(_ name: String, uid: UInt32 = 1_000) -> LedgerProgram {
        LedgerProgram(uid: uid, unit: "", name: name)
    }

    /// A ledger in which sessions 1 and 2 are the programs `a` and `b`.
    private func ledger(_ terms: LedgerTerms = LedgerTerms()) -> Ledger {
        var ledger = Ledger(terms, day: LedgerDay(of: noon))
        ledger.introduce(1, as: program("a"))
        ledger.introduce(2, as: program("b"))
        return ledger
    }

    private func sums(_ ledger: Ledger, _ name: String) -> LedgerSums {
        var sums = LedgerSums()
        for row in ledger.rowsInMemory where row.name.program.name.utf8.elementsEqual(name.utf8) {
            sums.add(row.sums)
        }
        return sums
    }

    private func terms(_ budget: UInt64, _ onBudget: LedgerTerms.OnBudget) -> LedgerTerms {
        var terms = LedgerTerms()
        terms.readBudget = budget
        terms.onBudget = onBudget
        return terms
    }

    @Test
    func `a target's reads are booked once, shared, and each program alone would have paid all`() {
        var ledger = ledger()
        ledger.listened(target, rooms, .fresh, at: noon)
        ledger.joined(1, target, rooms, resultCount: nil, at: noon)
        ledger.joined(2, target, rooms, resultCount: nil, at: noon)
        ledger.counted(7, target, at: noon)
        ledger.becameCurrent(target, resultCount: 7, at: noon)
        ledger.counted(2, target, at: noon)
        ledger.settleAll(at: noon)
        let (a, b) = (sums(ledger, "a"), sums(ledger, "b"))
        #expect(a.reads + b.reads == 9)
        #expect(max(a.reads, b.reads) - min(a.reads, b.reads) <= 1)
        #expect(a.aloneReads == 9)
        #expect(b.aloneReads == 9)
    }

    @Test func `who comes later pays nothing for what was sent, and alone would have paid a query`()
    {
        var ledger = ledger()
        ledger.listened(target, rooms, .fresh, at: noon)
        ledger.joined(1, target, rooms, resultCount: nil, at: noon)
        ledger.counted(7, target, at: noon)
        ledger.becameCurrent(target, resultCount: 7, at: noon)
        ledger.joined(2, target, rooms, resultCount: 7, at: noon)
        #expect(sums(ledger, "a") == LedgerSums(reads: 7, aloneReads: 7))
        #expect(sums(ledger, "b") == LedgerSums(reads: 0, aloneReads: 7))
    }

    @Test func `equal listeners of one session are one, as in Google's clients`() {
        var ledger = ledger()
        ledger.joined(1, target, rooms, resultCount: 4, at: noon)
        ledger.joined(1, target, rooms, resultCount: 4, at: noon)
        #expect(sums(ledger, "a").aloneReads == 4)
        ledger.left(1, target, at: noon)
        ledger.listened(target, rooms, .resumed, at: noon)
        ledger.counted(1, target, at: noon)
        ledger.settleAll(at: noon)
        #expect(sums(ledger, "a") == LedgerSums(reads: 1, aloneReads: 5))
    }

    @Test func `a listen that goes on late costs everybody a new query, and us one`() {
        var ledger = ledger()
        ledger.joined(1, target, rooms, resultCount: 4, at: noon)
        ledger.joined(2, target, rooms, resultCount: 4, at: noon)
        ledger.listened(target, rooms, .late, at: noon)
        ledger.counted(1, target, at: noon)
        ledger.becameCurrent(target, resultCount: 5, at: noon)
        #expect(ledger.total == LedgerSums(reads: 5, aloneReads: 4 + 4 + 5 + 5))
    }

    @Test func `a lookup costs the holders of the document one, and nobody alone`() {
        var ledger = ledger()
        ledger.joined(1, target, rooms, resultCount: 1, at: noon)
        let lookup = TargetID(1)
        ledger.lookedUp(lookup, key("rooms/hall"), for: [target], at: noon)
        ledger.listened(lookup, Query(document: key("rooms/hall")).target, .fresh, at: noon)
        ledger.becameCurrent(lookup, resultCount: 0, at: noon)
        ledger.unwatched(lookup, at: noon)
        #expect(sums(ledger, "a") == LedgerSums(reads: 1, aloneReads: 1))
        #expect(ledger.rowsInMemory.contains { $0.name.shape == "rooms/* (lookup)" })
    }

    @Test func `a budget is warned of at four fifths, and reached once`() {
        var ledger = ledger(terms(10, .warn))
        ledger.read(7, .others, by: 1, at: noon)
        #expect(ledger.takeNews().isEmpty)
        ledger.read(1, .others, by: 1, at: noon)
        let holder = LedgerBudget.Holder.program(program("a"))
        #expect(
            ledger.takeNews() == [.warned(LedgerBudget(holder, readCount: 8, limit: 10))])
        ledger.read(5, .others, by: 1, at: noon)
        #expect(
            ledger.takeNews() == [.reached(LedgerBudget(holder, readCount: 13, limit: 10))])
        ledger.read(5, .others, by: 1, at: noon)
        #expect(ledger.takeNews().isEmpty)
        #expect(!ledger.isStopped(1))
    }

    @Test func `a budget stops its program alone, until the day ends or the terms change`() {
        var ledger = ledger(terms(10, .stop))
        ledger.read(10, .others, by: 1, at: noon)
        #expect(ledger.stoppedSessions == [1])
        ledger.setTerms(terms(11, .stop))
        #expect(ledger.stoppedSessions.isEmpty)
        ledger.setTerms(terms(10, .stop))
        #expect(ledger.stoppedSessions == [1])
        ledger.advance(to: noon.advanced(by: .seconds(43_199)))
        #expect(ledger.isStopped(1))
        ledger.advance(to: noon.advanced(by: .seconds(43_200)))
        #expect(!ledger.isStopped(1))
    }

    @Test
    func `another program of the same name and user is stopped with it, another user's is not`() {
        var ledger = ledger(terms(10, .stop))
        ledger.read(10, .others, by: 1, at: noon)
        ledger.introduce(3, as: program("a"))
        ledger.introduce(4, as: program("a", uid: 2_000))
        #expect(ledger.stoppedSessions == [1, 3])
    }

    @Test func `a user's tables are bounded, and the rest is one row`() {
        var ledger = ledger()
        for number in 0..<1_000 {
            let session = UInt64(number + 10)
            ledger.introduce(session, as: program("p\(number)"))
            ledger.read(1, QueryShape(stored: "s\(number)"), by: session, at: noon)
        }
        for number in 0..<1_000 {
            ledger.read(1, QueryShape(stored: "s\(number)"), by: 10, at: noon)
        }
        let rows = ledger.rowsInMemory
        let programCountMax = LedgerLimits.uidProgramCountMax + 1
        #expect(rows.count <= LedgerLimits.uidRowCountMax + programCountMax)
        #expect(Set(rows.map(\.name.program)).count == programCountMax)
        #expect(rows.reduce(0) { $0 + $1.sums.reads } == 2_000)
        #expect(rows.contains { $0.name.program == program("others") })
        #expect(rows.contains { $0.name.shape == "others" })
    }

    @Test func `a day that ends keeps its own rows, until they are saved`() {
        var ledger = ledger()
        ledger.read(3, .others, by: 1, at: noon)
        let tomorrow = noon.advanced(by: .seconds(86_400))
        ledger.read(4, .others, by: 1, at: tomorrow)
        let days = ledger.unsavedRows.sorted { $0.name.day < $1.name.day }
        #expect(days.map(\.sums.reads) == [3, 4])
        ledger.saved()
        #expect(ledger.rowsInMemory.map(\.sums.reads) == [4])
        #expect(ledger.firstDay == LedgerDay(of: tomorrow))
        #expect(ledger.unsavedSince == nil)
    }

    @Test func `what is restored counts for the budget and is not saved again`() {
        var first = ledger()
        first.read(9, .others, by: 1, at: noon)
        var second = Ledger(terms(10, .stop))
        second.restore(first.unsavedRows, at: noon)
        second.introduce(1, as: program("a"))
        #expect(second.unsavedRows.isEmpty)
        #expect(!second.isStopped(1))
        second.read(1, .others, by: 1, at: noon)
        #expect(second.isStopped(1))
        #expect(second.unsavedRows.map(\.sums.reads) == [10])
    }

    @Test func `an event costs no row until enough has come`() {
        var ledger = ledger()
        ledger.joined(1, target, rooms, resultCount: 0, at: noon)
        ledger.listened(target, rooms, .resumed, at: noon)
        let before = ledger.total
        for _ in 1..<LedgerLimits.unsettledCountMax { ledger.counted(1, target, at: noon) }
        #expect(ledger.total == before)
        #expect(ledger.unsavedSince == noon)
        ledger.counted(1, target, at: noon)
        #expect(ledger.total.reads == before.reads + LedgerLimits.unsettledCountMax)
    }

    @Test func `days are of UTC, before 1970 too`() {
        #expect(LedgerDay(of: Timestamp(seconds: 86_399, nanoseconds: 0)) == LedgerDay(0))
        #expect(LedgerDay(of: Timestamp(seconds: -1, nanoseconds: 0)) == LedgerDay(-1))
        #expect(
            "\(LedgerDay(of: Timestamp(seconds: 1_795_000_000, nanoseconds: 0)))" == "2026-11-18")
        #expect(LedgerDay(.max).start.seconds == Timestamp.secondsRange.upperBound)
    }

    @Test func `sums stop at the largest number`() {
        var sums = LedgerSums(reads: .max, aloneReads: 1)
        sums.add(LedgerSums(reads: 1, aloneReads: 1))
        #expect(sums == LedgerSums(reads: .max, aloneReads: 2))
        #expect(sums.savedReads == 0)
    }
}
