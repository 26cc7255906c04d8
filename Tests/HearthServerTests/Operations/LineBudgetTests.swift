import HearthEngine
import HearthModel
import Testing

@testable import HearthServer

/// How many lines of one kind the journal takes.
struct LineBudgetTests {
    private var budget = LineBudget()

    /// Counts lines of a source, and tells how many of them are to be told.
    private mutating func told(_ count: Int, of uid: UInt32, at now: Duration = .zero) -> Int {
        (0..<count).count { _ in budget.counted(.user(uid), at: now) }
    }

    @Test mutating func `the first lines of a source are told, and the rest is counted`() {
        #expect(told(1_000, of: 7) == LineBudget.sourceLineCountMax)
        #expect(budget.elapsed(at: LineBudget.period - .seconds(1)) == [])
        #expect(
            budget.elapsed(at: LineBudget.period) == [
                LineBudget.Omission(
                    source: .user(7), lineCount: 1_000 - LineBudget.sourceLineCountMax)
            ])
        #expect(budget.end == nil)
        #expect(told(1, of: 7, at: LineBudget.period) == 1)
    }

    @Test mutating func `a source that floods leaves the lines of another source alone`() {
        #expect(told(1_000, of: 7) == LineBudget.sourceLineCountMax)
        #expect(told(3, of: 8) == 3)
        let engine = EngineKey.firestore(DatabaseID(project: "demo"))
        let isTold = budget.counted(.engine(engine), at: .zero)
        #expect(isTold)
        #expect(budget.elapsed(at: LineBudget.period).map(\.source) == [.user(7)])
    }

    @Test mutating func `many sources are bounded together, and no more are remembered`() {
        var count = 0
        for uid: UInt32 in 0..<10_000 { count += told(2, of: uid) }
        #expect(count == LineBudget.lineCountMax)
        let omissions = budget.elapsed(at: LineBudget.period)
        #expect(omissions.count <= LineBudget.lineCountMax + 1)
        #expect(omissions.last?.source == nil)
        #expect(omissions.reduce(0) { $0 + $1.lineCount } == 20_000 - count)
    }

    @Test mutating func `what was told whole leaves nothing to tell`() {
        #expect(told(LineBudget.sourceLineCountMax, of: 7) == LineBudget.sourceLineCountMax)
        #expect(budget.elapsed(at: LineBudget.period) == [])
    }
}
