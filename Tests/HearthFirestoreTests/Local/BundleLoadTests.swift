import HashTreeCollections
import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthFirestore

struct BundleLoadTests {
    private func load(_ entries: [Bundle.Entry], queries: [String] = []) -> BundleLoad {
        BundleLoad(
            Bundle(
                record: BundleRecord(id: "b/1", createdAt: version(1), version: 1),
                entries: entries,
                namedQueries: queries.map {
                    NamedQuery(name: $0, query: collection("rooms"), readAt: version(1))
                }, byteCount: 7),
            for: RequestID(session: 1, number: 1))
    }

    private func slices(_ stepCountMax: Int, byteCountMax: Int = .max) -> BundleSlices {
        var slices = BundleSlices()
        slices.stepCountMax = stepCountMax
        slices.byteCountMax = byteCountMax
        slices.wholeStepCountMax = 0
        return slices
    }

    private func entry(_ name: String, _ queries: [String] = [], bytes: Int = 0) -> Bundle.Entry {
        Bundle.Entry(
            document: document(
                "rooms/\(name)", ["text": .string(String(repeating: "x", count: bytes))]),
            queries: queries)
    }

    /// All slices until the load is done, or as many as there can be.
    private func taken(_ load: inout BundleLoad, _ limits: BundleSlices) -> [BundleLoad.Slice] {
        var slices: [BundleLoad.Slice] = []
        while !load.isDone, slices.count < 1_000 { slices.append(load.nextSlice(limits)) }
        return slices
    }

    @Test func `a short bundle is one slice`() {
        var load = load([entry("a", ["q"]), entry("b")], queries: ["q"])
        let slices = taken(&load, BundleSlices())
        #expect(slices.count == 1)
        #expect(slices.first?.documents.map(\.key) == [key("rooms/a"), key("rooms/b")])
        #expect(slices.first?.results == [UTF8Text("q"): [key("rooms/a")]])
        #expect(slices.first?.queries.map(\.name) == ["q"])
    }

    @Test func `a bundle of a thousand steps is one slice, and one more is cut`() {
        var whole = load(
            (1...994).map { entry("\($0)", $0 <= 2 ? ["q"] : []) }, queries: ["q"])
        #expect(taken(&whole, BundleSlices()).map(\.documents.count) == [994])
        var long = load((1...1_001).map { entry("\($0)") })
        #expect(taken(&long, BundleSlices()).first?.documents.count == 150)
        var limits = BundleSlices()
        limits.wholeByteCountMax = 6
        var heavy = load((1...151).map { entry("\($0)") })
        #expect(taken(&heavy, limits).map(\.documents.count) == [150, 1])
    }

    @Test func `a slice has so many documents, and ends behind so many bytes`() {
        var short = load((1...5).map { entry("\($0)") })
        #expect(taken(&short, slices(2)).map(\.documents.count) == [2, 2, 1])
        let entries = (1...4).map { entry("\($0)", bytes: 100) }
        let limits = slices(100, byteCountMax: entries[0].document.fields.byteCountBound + 1)
        var long = load(entries)
        #expect(taken(&long, limits).map(\.documents.count) == [2, 2])
    }

    @Test func `a document of many queries is cut within its queries`() {
        let names = (1...5).map { "q\($0)" }
        var load = load([entry("a", names), entry("b", ["q1"])], queries: names)
        let slices = taken(&load, slices(2))
        #expect(slices.flatMap(\.documents).map(\.key) == [key("rooms/a"), key("rooms/b")])
        #expect(slices.allSatisfy { $0.documents.count + $0.results.values.joined().count <= 2 })
        var results: [UTF8Text: [DocumentKey]] = [:]
        for slice in slices { results.merge(slice.results) { $0 + $1 } }
        #expect(results[UTF8Text("q1")] == [key("rooms/a"), key("rooms/b")])
        #expect(results.count == 5)
        #expect(slices.flatMap(\.queries).map(\.name) == names)
    }

    @Test func `a name of no query has no results, nor has a document that is gone`() {
        let gone = Bundle.Entry(document: .missing(key("rooms/b"), at: version(1)), queries: ["q"])
        var load = load([entry("a", ["unknown"]), gone], queries: ["q"])
        let slices = taken(&load, BundleSlices())
        #expect(slices.allSatisfy { $0.results.isEmpty })
        #expect(slices.flatMap(\.documents).count == 2)
    }

    @Test(arguments: 0..<40) func `however the cuts fall, all is taken once`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let names = (0..<4).map { "q\($0)" }
        let entries = (0..<Int.random(in: 0...30, using: &random)).map { number in
            entry(
                "\(number)", names.filter { _ in Bool.random(using: &random) },
                bytes: Int.random(in: 0...50, using: &random))
        }
        var load = load(entries, queries: names)
        let limits = slices(
            Int.random(in: 1...9, using: &random),
            byteCountMax: Int.random(in: 1...300, using: &random))
        let slices = taken(&load, limits)
        #expect(load.isDone)
        #expect(slices.flatMap(\.documents).map(\.key) == entries.map(\.document.key))
        for name in names {
            let results = slices.flatMap { $0.results[UTF8Text(name)] ?? [] }
            let expected = entries.filter { $0.queries.contains(name) }.map(\.document.key)
            #expect(results == expected)
        }
        #expect(slices.flatMap(\.queries).map(\.name) == names)
        // No query is known before all its results are there.
        let first = slices.firstIndex { !$0.queries.isEmpty } ?? 0
        #expect(slices.dropFirst(first + 1).allSatisfy { $0.documents.isEmpty })
    }

    @Test func `of a bundle that is cut, the stand-ins go and views hear of what the cache has`() {
        var load = load([entry("a", ["q"]), entry("b", ["q"])], queries: ["q"])
        _ = load.nextSlice(slices(2))
        load.umbrella = TargetID(2)
        load.standIns[UTF8Text("q")] = TargetID(4)
        load.standInCount = 1
        load.hold([(ViewID(3), [document("rooms/a")])])
        load.cut()
        #expect(!load.isDone)
        let slice = load.nextSlice(BundleSlices())
        #expect(slice.documents.isEmpty && slice.queries.isEmpty)
        #expect(slice.droppedPlaces == [load.standInPlace(0)])
        #expect(load.isTaken && !load.isDone)
        let telling = load.nextTelling(BundleSlices(), among: ViewTable())
        #expect(telling.map(\.id) == [ViewID(3)])
        #expect(telling.first?.documents.map(\.key) == [key("rooms/a")])
        #expect(load.isDone)
    }

    @Test func `views are told the oldest first, each of all, as many as a turn has time for`() {
        var load = load([])
        let (a, b, c) = (document("rooms/a"), document("rooms/b"), document("rooms/c"))
        load.hold([(ViewID(2), [a]), (ViewID(9), [a, c])])
        load.hold([(ViewID(2), [b]), (ViewID(4), [b]), (ViewID(5), [c])])
        load.release([c])
        #expect([2, 4, 5, 9].allSatisfy { load.lacks(ViewID($0)) })
        #expect(!load.lacks(ViewID(3)))
        var turns: [[UInt64: [DocumentKey]]] = []
        while !load.isDone, turns.count < 9 {
            let told = load.nextTelling(slices(2), among: ViewTable())
            turns.append(
                Dictionary(
                    uniqueKeysWithValues: told.map { ($0.id.rawValue, $0.documents.map(\.key)) }))
        }
        #expect(turns == [[2: [a.key, b.key]], [4: [b.key]], [9: [a.key]]])
    }

    @Test func `names are kept for a view if there is room, and the view is told all the same`() {
        var load = load([])
        let (a, b, c) = (document("rooms/a"), document("rooms/b"), document("rooms/c"))
        load.hold([(ViewID(2), [a, b])], room: 6)
        #expect(load.keptNameCount == 6)
        load.hold([(ViewID(3), [a])], room: 4)
        #expect(load.keptNameCount == 6)
        load.hold([(ViewID(2), [c])], room: 4)
        #expect(load.keptNameCount == 0)
        load.hold([(ViewID(4), [b])], room: 5)
        #expect(load.keptNameCount == 5)
        load.release([b])
        let told = load.nextTelling(slices(100), among: ViewTable())
        #expect(told.map(\.id) == [ViewID(2), ViewID(3)])
        #expect(told.allSatisfy { Set($0.documents.map(\.key)) == [a.key, c.key] })
        #expect(load.keptNameCount == 0)
        #expect([2, 3, 4].allSatisfy { !load.lacks(ViewID($0)) })
    }

    @Test func `what an earlier process has left goes in slices`() {
        let begun = BegunBundle(
            record: BundleRecord(id: "b/1", createdAt: version(1), version: 1), documentCount: 9,
            queryCount: 5)
        var left = BundleLoad(leaving: begun)
        #expect(left.id == nil && left.hasBegun && left.isCut && !left.isDone)
        let slices = taken(&left, slices(2))
        #expect(slices.map(\.droppedPlaces.count) == [2, 2, 1])
        let places = Set(slices.flatMap(\.droppedPlaces))
        #expect(places == Set((0..<5).map { left.standInPlace($0) }))
        #expect(left.place == load([]).place)
    }
}
