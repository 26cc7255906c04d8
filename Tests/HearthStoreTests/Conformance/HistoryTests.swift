import HearthEngine
import HearthFirestore
import HearthModel
import Testing

@testable import HearthStore

/// The history of documents, alike in every store.
struct HistoryTests {
    private let write = HistoryWrite(batch: BatchID(7), user: UserID("ada"), writer: author)

    private func entry(
        _ document: Document, at seconds: Int64, _ event: HistoryEvent = .heard,
        over remote: Document? = nil
    ) -> HistoryEntry {
        HistoryEntry(
            notedAt: Timestamp(seconds: seconds, nanoseconds: 5), event: event, local: document,
            remote: remote)
    }

    /// A store with `count` steps of one document, a second apart, and one step of another.
    private func filled(_ kind: StoreKind, _ count: Int64) throws -> StoreBench {
        let bench = try StoreBench(kind)
        try bench.write {
            for number in 1...count {
                try $0.appendHistory(
                    entry(found("a/1", ["n": .integer(number)], at: number), at: number))
            }
            try $0.appendHistory(entry(found("a/2"), at: count + 1))
        }
        return bench
    }

    private func numbers(
        _ bench: StoreBench, _ change: (inout HistoryQuestion) -> Void = { _ in }
    ) throws -> [Int64] {
        var question = HistoryQuestion(of: key("a/1"))
        change(&question)
        return try bench.write { try $0.history(question) }.entries.map(\.number)
    }

    private func remove(
        _ bench: StoreBench, before seconds: Int64? = nil, after last: Int64? = nil,
        byteCountMax: Int = .max / 2, countMax: Int = 100
    ) throws -> Bool {
        try bench.write {
            try $0.removeHistory(
                HistoryBounds(
                    notedBefore: seconds.map { Timestamp(seconds: $0, nanoseconds: 0) },
                    notedAfter: last.map { Timestamp(seconds: $0, nanoseconds: 0) },
                    byteCountMax: byteCountMax, countMax: countMax))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `every kind of step comes back as it was noted`(kind: StoreKind) throws {
        var pending = found("a/1", everyValue)
        pending.markLocalMutations()
        var committed = found("a/1", ["n": .integer(2)], at: 9)
        committed.markCommittedMutations()
        let refusal = HearthError(code: .permissionDenied, message: "no\u{1B}[2J")
        let entries = [
            entry(.invalid(key("a/1")), at: 1, .known), entry(found("a/1", everyValue), at: 2),
            entry(missing("a/1", at: 3), at: 3), entry(unknown("a/1", at: 4), at: 4),
            entry(pending, at: 5, .accepted(write)),
            entry(pending, at: 6, .heard, over: found("a/1", ["n": .integer(1)])),
            entry(pending, at: 7, .edited(write)), entry(committed, at: 8, .committed(write)),
            entry(missing("a/1"), at: 9, .rejected(write, refusal)),
            entry(missing("a/1"), at: 10, .withdrawn(write, refusal)),
        ]
        let bench = try StoreBench(kind)
        try bench.write { for entry in entries { try $0.appendHistory(entry) } }
        let page = try bench.write { try $0.history(HistoryQuestion(of: key("a/1"))) }
        #expect(!page.hasMore)
        let found = page.entries.reversed().map {
            var entry = $0
            entry.number = 0
            return entry
        }
        #expect(found == entries)
        #expect(found.map(\.local.readAt) == entries.map(\.local.readAt))
        #expect(page.entries.map(\.number) == Array((1...10).reversed()))
    }

    @Test(arguments: StoreKind.allCases)
    func `a history is read in pages, from a time on, and up to a time`(kind: StoreKind) throws {
        let bench = try filled(kind, 150)
        #expect(try numbers(bench) == Array((51...150).reversed()))
        #expect(try numbers(bench) { $0.before = 51 } == Array((1...50).reversed()))
        #expect(try numbers(bench) { $0.countMax = 2 } == [150, 149])
        #expect(
            try numbers(bench) { $0.since = Timestamp(seconds: 149, nanoseconds: 0) } == [150, 149])
        #expect(try numbers(bench) { $0.at = Timestamp(seconds: 40, nanoseconds: 5) } == [40])
        #expect(try numbers(bench) { $0.at = Timestamp(seconds: 40, nanoseconds: 4) } == [39])
        #expect(try numbers(bench) { $0.at = Timestamp(seconds: 0, nanoseconds: 0) } == [])
        let page = try bench.write {
            try $0.history(HistoryQuestion(of: key("a/1"), before: 51, countMax: 50))
        }
        #expect(page.entries.count == 50 && !page.hasMore)
    }

    @Test(arguments: StoreKind.allCases)
    func `a page ends before it is large, and has at least one step`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let large = found("a/1", ["text": .string(String(repeating: "x", count: 700_000))])
        try bench.write {
            for number in Int64(1)...3 { try $0.appendHistory(entry(large, at: number)) }
        }
        let first = try bench.write { try $0.history(HistoryQuestion(of: key("a/1"))) }
        #expect(first.entries.map(\.number) == [3])
        #expect(first.hasMore)
    }

    @Test(arguments: StoreKind.allCases)
    func `what is too old goes from the front, a slice at a time`(kind: StoreKind) throws {
        let bench = try filled(kind, 10)
        #expect(try remove(bench, before: 8, countMax: 3))
        #expect(try numbers(bench).last == 4)
        #expect(try remove(bench, before: 8, countMax: 3))
        #expect(try !remove(bench, before: 8, countMax: 3))
        #expect(try numbers(bench) == [10, 9, 8])
        let figures = try bench.write { try $0.historyFigures() }
        #expect(figures.count == 4)
        #expect(figures.oldestAt == Timestamp(seconds: 8, nanoseconds: 5))
        #expect(try bench.write { try $0.firstHistory(of: key("a/1"))?.number } == 8)
    }

    @Test(arguments: StoreKind.allCases)
    func `a step that a clock noted in the future goes with the steps behind it`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try bench.write {
            for seconds: Int64 in [9_000, 2, 3, 50] {
                try $0.appendHistory(entry(found("a/1"), at: seconds))
            }
        }
        #expect(try !remove(bench, before: 10))
        #expect(try numbers(bench) == [4])
    }

    @Test(arguments: StoreKind.allCases)
    func `steps of a wrong future go when they are the oldest, and take nothing with them`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            for seconds: Int64 in [9_000, 9_001, 9_002, 50, 9_003, 51] {
                try $0.appendHistory(entry(found("a/1"), at: seconds))
            }
        }
        #expect(try remove(bench, before: 10, after: 100, countMax: 2))
        #expect(try numbers(bench) == [6, 5, 4, 3])
        #expect(try !remove(bench, before: 10, after: 100))
        #expect(try numbers(bench) == [6, 5, 4])
        #expect(try !remove(bench, before: 10, after: 100))
        #expect(try !remove(bench, before: 51, after: 100))
        #expect(try numbers(bench) == [6])
    }

    @Test(arguments: StoreKind.allCases)
    func `what is too much goes from the front, and the sizes are kept`(kind: StoreKind) throws {
        let bench = try filled(kind, 10)
        let figures = try bench.write { try $0.historyFigures() }
        #expect(figures.count == 11)
        let step = figures.byteCount / 11
        #expect(try !remove(bench, byteCountMax: figures.byteCount))
        #expect(try remove(bench, byteCountMax: step * 4, countMax: 2))
        #expect(try !remove(bench, byteCountMax: step * 4))
        let left = try bench.write { try $0.historyFigures() }
        #expect(left.byteCount <= step * 4 && left.byteCount > step * 2)
        #expect(try !remove(bench, byteCountMax: 0))
        #expect(try bench.write { try $0.historyFigures() }.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `the newest step stays, and the numbers go on behind it`(kind: StoreKind) throws {
        let bench = try filled(kind, 3)
        #expect(try !remove(bench, before: 1_000))
        #expect(try !remove(bench, before: 1_000))
        #expect(try !remove(bench, byteCountMax: 0))
        #expect(try bench.write { try $0.historyFigures() }.count == 1)
        try bench.write { try $0.appendHistory(entry(found("a/1"), at: 2_000)) }
        #expect(try numbers(bench) == [5])
        #expect(try !remove(bench, before: 1_000, countMax: 1))
        #expect(try bench.write { try $0.historyFigures() }.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a turn that fails leaves no step behind`(kind: StoreKind) throws {
        let bench = try filled(kind, 2)
        #expect(throws: StoreError.self) {
            try bench.write {
                try $0.appendHistory(entry(found("a/1"), at: 9))
                throw StoreError.io("on purpose")
            }
        }
        try bench.write { try $0.appendHistory(entry(found("a/1"), at: 9)) }
        #expect(try numbers(bench) == [4, 2, 1])
        #expect(try bench.write { try $0.historyFigures() }.count == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `clearing the cache clears the history`(kind: StoreKind) throws {
        let bench = try filled(kind, 2)
        try bench.write { try $0.removeAll() }
        #expect(try numbers(bench) == [])
        #expect(try bench.write { try $0.hasHistory(of: key("a/1")) } == false)
        #expect(try bench.write { try $0.historyFigures() } == HistoryFigures())
    }

    @Test(arguments: StoreKind.allCases)
    func `a document without steps was then what the cache has had since before`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try bench.write { try $0.setRemoteDocument(found("a/1", at: 5_000_000)) }
        func known(_ seconds: Int64) throws -> HistoryEntry? {
            let question = HistoryQuestion(
                of: key("a/1"), at: Timestamp(seconds: seconds, nanoseconds: 0))
            return try bench.write { try $0.history(question) }.entries.first
        }
        #expect(try known(4) == nil)
        #expect(try known(6)?.event == .known)
        try bench.write { try $0.appendHistory(entry(found("a/1", at: 5_000_000), at: 9, .known)) }
        #expect(try known(6)?.local.version == version(5_000_000))
        #expect(try known(4) == nil)
    }
}
