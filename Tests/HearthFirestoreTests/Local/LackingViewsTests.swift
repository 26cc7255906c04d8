import HashTreeCollections
import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

/// What is kept of the views that wait for the end of a bundle, however many there are.
struct LackingViewsTests {
    /// Views of these collections, numbered from 1.
    private func table(_ paths: String...) -> ViewTable {
        var table = ViewTable()
        for (number, path) in paths.enumerated() {
            table.insert(
                View(query: collection(path), syncedKeys: []),
                target: TargetID(Int32(2 * number + 2)), isWatched: true)
        }
        return table
    }

    private func untold(_ paths: String...) -> TreeDictionary<DocumentKey, Document> {
        TreeDictionary(uniqueKeysWithValues: paths.map { (key($0), document($0)) })
    }

    /// What views are told, turn by turn, until none lacks anything.
    private func turns(
        _ lacking: LackingViews, _ untold: TreeDictionary<DocumentKey, Document>,
        among views: ViewTable, stepCountMax: Int
    ) -> [[UInt64: Set<DocumentKey>]] {
        var (lacking, turns) = (lacking, [[UInt64: Set<DocumentKey>]]())
        while !lacking.isEmpty, turns.count < 100 {
            let told = lacking.next(untold, among: views, stepCountMax: stepCountMax)
            turns.append(
                Dictionary(
                    uniqueKeysWithValues: told.map {
                        ($0.id.rawValue, Set($0.documents.map(\.key)))
                    }))
        }
        return turns
    }

    @Test func `of more views than may be kept none is kept, and all up to the last may lack some`()
    {
        var lacking = LackingViews()
        for number in UInt64(1)...3 {
            lacking.note(
                [key("rooms/a")], of: ViewID(number), nameCountMax: .max, countMax: 3)
        }
        #expect(lacking.count == 3)
        lacking.note([key("rooms/b")], of: ViewID(2), nameCountMax: .max, countMax: 3)
        #expect(lacking.count == 3 && !lacking.contains(ViewID(4)))
        for number in [9, 7] as [UInt64] {
            lacking.note(
                [key("rooms/a")], of: ViewID(number), nameCountMax: .max, countMax: 3)
            #expect(lacking.count == 0 && lacking.nameCount == 0)
        }
        #expect(!lacking.isEmpty)
        #expect((UInt64(1)...9).allSatisfy { lacking.contains(ViewID($0)) })
        #expect(!lacking.contains(ViewID(10)))
    }

    @Test func `views that are not kept are told what lies where they look, the oldest first`() {
        let views = table("rooms", "halls", "rooms/a/chairs", "rooms/a", "walls", "rooms")
        let untold = untold("rooms/a", "rooms/b", "halls/c")
        var lacking = LackingViews()
        lacking.note([key("rooms/a")], of: ViewID(4), nameCountMax: .max, countMax: 0)
        let rooms: Set = [key("rooms/a"), key("rooms/b")]
        let told: [[UInt64: Set<DocumentKey>]] = [
            [1: rooms], [2: [key("halls/c")]], [4: [key("rooms/a")]],
        ]
        #expect(turns(lacking, untold, among: views, stepCountMax: 2) == told)
        // Nobody need be told what was told otherwise meanwhile.
        #expect(turns(lacking, [:], among: views, stepCountMax: 2) == [[:]])
    }

    @Test func `a turn looks at so many documents for views that are not kept, and no more`() {
        let paths = (1...320).map { "rooms/r\($0)" }
        let untold = TreeDictionary(uniqueKeysWithValues: paths.map { (key($0), document($0)) })
        var views = ViewTable()
        for number: Int32 in 1...40 {
            views.insert(
                View(query: collection("c\(number)"), syncedKeys: []), target: TargetID(2 * number),
                isWatched: true)
        }
        var lacking = LackingViews()
        lacking.note([key("rooms/r1")], of: ViewID(40), nameCountMax: .max, countMax: 0)
        // A view without a share takes ten steps of a turn, for 320 looks.
        #expect(turns(lacking, untold, among: views, stepCountMax: 100).count == 4)
    }

    @Test func `all loads together keep so many views`() {
        var limits = BundleSlices()
        limits.lackingViewCountMax = 5
        limits.wholeStepCountMax = 0
        var loads = BundleLoads()
        for id in ["x", "y"] {
            let bundle = Bundle(
                record: BundleRecord(id: id, createdAt: version(1), version: 1),
                entries: [.init(document: document("rooms/a"), queries: [])], namedQueries: [],
                byteCount: 7)
            _ = loads.add(BundleLoad(bundle, for: RequestID(session: 1, number: 1)))
        }
        let concerned = (UInt64(1)...4).map { (id: ViewID($0), documents: [document("rooms/a")]) }
        loads.stored([], concerning: concerned, at: 0, limits)
        #expect(loads[0].lackingViewCount == 4)
        loads.stored([], concerning: concerned, at: 1, limits)
        #expect(loads[0].lackingViewCount + loads[1].lackingViewCount <= 5)
        #expect(loads.lack(ViewID(4)) && loads[1].lacks(ViewID(4)))
    }

    @Test(arguments: [0, 1, 3, 7, 100, Int.max])
    func `the least are found in their order, however many there are`(count: Int) {
        let numbers = (0..<50).map { $0 * 37 % 50 }
        #expect(numbers.least(count) == Array(numbers.sorted().prefix(count)))
        #expect([Int]().least(count).isEmpty)
    }
}
