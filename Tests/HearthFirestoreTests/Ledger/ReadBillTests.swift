import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// What the backend bills, rule by rule.
struct ReadBillTests {
    private let now = Timestamp(seconds: 1_000_000, nanoseconds: 0)

    private func change(_ document: Document?) -> DocumentWatchChange {
        DocumentWatchChange(
            updated: [WireTargetID(1)], removed: [], key: key("rooms/hall"), document: document)
    }

    @Test(
        arguments: [(0, 0, 1), (1, 0, 1), (7, 0, 7), (7, 5, 12), (0, 5, 5)] as [(Int, Int, UInt64)])
    func `a query costs what it finds and skips, and at least one`(
        found: Int, skipped: Int, cost: UInt64
    ) {
        #expect(ReadBill.query(foundCount: found, skippedCount: skipped) == cost)
    }

    @Test func `a document that is read by name costs one, found or missing`() {
        #expect(ReadBill.documents(3) == 3)
        #expect(ReadBill.documents(0) == 0)
    }

    @Test(
        arguments: [(nil, 1), (0, 1), (1, 1), (1_000, 1), (1_001, 2), (1_500, 2), (2_000, 2)]
            as [(Int64?, UInt64)])
    func `an aggregation costs one for up to 1,000 entries, and at least one`(
        entries: Int64?, cost: UInt64
    ) {
        #expect(ReadBill.aggregation(entryCount: entries) == cost)
    }

    @Test func `a document that comes, changes or stops matching costs one, a deleted one nothing`()
    {
        let found = change(document("rooms/hall"))
        let missing = change(.missing(key("rooms/hall"), at: version(1)))
        let gone = change(nil)
        #expect(ReadBill.entering(found) == 1)
        #expect(ReadBill.entering(missing) == 0)
        #expect(ReadBill.leaving(found) == 1)
        #expect(ReadBill.leaving(gone) == 1)
        #expect(ReadBill.leaving(missing) == 0)
    }

    @Test func `a listen is billed as a new query without a resume point, and 30 minutes after it`()
    {
        let soon = SnapshotVersion(now.advanced(by: .seconds(-1_800)))
        let late = SnapshotVersion(now.advanced(by: .seconds(-1_801)))
        #expect(ReadBill.start(resumedFrom: nil, at: now) == .fresh)
        #expect(ReadBill.start(resumedFrom: soon, at: now) == .resumed)
        #expect(ReadBill.start(resumedFrom: late, at: now) == .late)
    }

    @Test func `a first answer without results costs one`() {
        var bill = ListenBill(.fresh)
        #expect(bill.becameCurrent(resultCount: 0) == 1)
        #expect(bill.becameCurrent(resultCount: 0) == 0)
        #expect(bill.readCount == 1)
    }

    @Test func `a first answer costs what was sent`() {
        var bill = ListenBill(.fresh)
        bill.count(3)
        #expect(bill.becameCurrent(resultCount: 3) == 0)
        bill.count(2)
        #expect(bill.readCount == 3)
    }

    @Test func `a listen that goes on soon costs what changed, even if nothing did`() {
        var bill = ListenBill(.resumed)
        #expect(bill.becameCurrent(resultCount: 50) == 0)
        #expect(bill.readCount == 0)
    }

    @Test func `a listen that goes on late costs all results, whatever was sent`() {
        var bill = ListenBill(.late)
        bill.count(2)
        #expect(bill.becameCurrent(resultCount: 50) == 48)
        var empty = ListenBill(.late)
        #expect(empty.becameCurrent(resultCount: 0) == 1)
    }
}
