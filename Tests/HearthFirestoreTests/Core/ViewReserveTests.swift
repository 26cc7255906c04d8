import HearthEngine
import HearthFirestore
import HearthModel
import Testing

@testable import HearthFirestore

struct ViewReserveTests {
    private let ends = [Query.Limit.End.first, .last]

    /// A cache of documents, and a limited view that hears only of changes that may concern the
    /// view.
    private struct Bench {
        let query: Query
        var cache: [DocumentKey: Document] = [:]
        var view: View
        /// How often the cache was searched.
        var searchCount = 0
        /// How often a document was read again.
        var readCount = 0

        init(_ limit: Query.Limit, count: Int) {
            var query = collection("rooms")
            query.filters = [.field(FieldPath(["isOpen"]), .equal, .boolean(true))]
            query.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
            query.limit = limit
            self.query = query
            view = View(query: query, syncedKeys: [])
            for number in 0..<count {
                let room = Self.room(number, at: number, isOpen: true)
                cache[room.key] = room
            }
            _ = view.decide(view.draft(first(limit.count)))
        }

        static func room(_ number: Int, at place: Int, isOpen: Bool) -> Document {
            document(
                "rooms/r\(number)",
                ["n": .integer(Int64(place)), "isOpen": .boolean(isOpen), "x": .string("more")])
        }

        /// All that matches, in the order in which the limit counts; no more than so many.
        func first(_ count: Int) -> [Document] {
            let found = query.order.sorted(cache.values.filter { query.matches($0) })
            return query.limit?.end == .last ? found.suffix(count) : Array(found.prefix(count))
        }

        mutating func change(_ document: Document) {
            cache[document.key] = document.isFound ? document : nil
            // What the index of views asks of, and what the view itself wants to hear of.
            guard query.matches(document) || view.documents.contains(document.key),
                view.isConcerned(by: document)
            else { return }
            var draft = view.draft([document])
            while let key = draft.successor {
                readCount += 1
                draft = view.draft(cache[key] ?? .invalid(key), continuing: draft)
            }
            if draft.needsRefill {
                searchCount += 1
                let found = first(view.refillQuery.limit?.count ?? 0)
                draft = view.draft(found, continuing: draft)
            }
            _ = view.decide(draft)
        }

        var isRight: Bool { view.documents.documents == shown }

        var shown: [Document] {
            query.order.sorted(first(query.limit?.count ?? 0))
        }
    }

    @Test(arguments: [Query.Limit.End.first, .last])
    func `the cache is searched once for many results that leave`(end: Query.Limit.End) {
        var bench = Bench(Query.Limit(10, end), count: 200)
        for _ in 0..<100 {
            guard let first = bench.shown.first else { return }
            bench.change(.missing(first.key, at: version(2_000)))
            #expect(bench.isRight)
        }
        #expect(bench.searchCount == 4)
        #expect(bench.readCount == 96)
    }

    @Test func `a view that has shown all that matches never searches the cache`() {
        var bench = Bench(Query.Limit(10), count: 5)
        for number in 5..<16 { bench.change(Bench.room(number, at: number, isOpen: true)) }
        for number in 0..<16 { bench.change(Bench.room(number, at: number, isOpen: false)) }
        #expect(bench.searchCount == 0 && bench.isRight && bench.view.documents.isEmpty)
    }

    @Test func `what ceased to match behind a view's back takes no place in it`() {
        var bench = Bench(Query.Limit(2), count: 20)
        bench.change(Bench.room(0, at: 0, isOpen: false))
        #expect(bench.searchCount == 1)
        for number in 3..<6 { bench.change(Bench.room(number, at: number, isOpen: false)) }
        bench.change(Bench.room(1, at: 1, isOpen: false))
        #expect(bench.view.documents.documents.map(\.key.documentID) == ["r2", "r6"])
        #expect(bench.searchCount == 1 && bench.readCount == 4)
    }

    @Test func `a result that moves behind its successors gives its place to the next`() {
        var bench = Bench(Query.Limit(2), count: 20)
        bench.change(Bench.room(0, at: 5, isOpen: true))
        bench.change(Bench.room(1, at: 100, isOpen: true))
        #expect(bench.view.documents.documents.map(\.key.documentID) == ["r2", "r3"])
        #expect(bench.searchCount == 1)
    }

    @Test(arguments: 0..<8)
    func `a view shows what a search would find, whatever happens`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let end = ends[Int(seed) % 2]
        let count = [1, 5, 12, 40][Int(seed / 2) % 4]
        var bench = Bench(Query.Limit(count, end), count: seed < 4 ? 200 : 0)
        for step in 0..<300 {
            let number = Int.random(in: 0..<200, using: &random)
            let room = Bench.room(
                number, at: Int.random(in: 0..<100, using: &random),
                isOpen: Int.random(in: 0..<3, using: &random) > 0)
            let isGone = Int.random(in: 0..<4, using: &random) == 0
            bench.change(isGone ? .missing(room.key, at: version(2_000)) : room)
            #expect(bench.isRight, "after \(step) changes")
        }
    }

    @Test func `an engine tells of each successor, read from the cache as it is`() throws {
        var bench = try EngineBench()
        try bench.take(.setNetwork(isEnabled: false))
        for number in 10..<40 {
            try bench.take(.write(request(UInt64(number), "rooms/r\(number)")))
        }
        var query = collection("rooms")
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
        query.limit = Query.Limit(2)
        let id = ListenerID(session: 7, number: 1)
        try bench.take(.listen(id, query, ListenOptions(isCacheOnly: true)))
        for number in 10..<39 {
            let write = WriteRequest(
                id: RequestID(session: 1, number: UInt64(100 + number)),
                writer: Writer(uid: 1000, gid: 1000, pid: 42),
                mutations: [Mutation(key: key("rooms/r\(number)"), kind: .delete)])
            let shown = try bench.take(.write(write)).compactMap { action -> [String]? in
                guard case .emit(let snapshot, to: [id]) = action else { return nil }
                return snapshot.documents.documents.map(\.key.documentID)
            }
            #expect(shown == [((number + 1)...min(number + 2, 39)).map { "r\($0)" }])
        }
    }
}
