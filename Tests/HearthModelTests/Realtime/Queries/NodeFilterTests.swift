import HearthModel
import Testing

struct NodeFilterTests {
    private static func query(
        _ index: QueryIndex = .key, from start: QueryParameters.Bound? = nil,
        to end: QueryParameters.Bound? = nil, limit: Int? = nil,
        _ side: QueryParameters.Limit.Side = .first
    ) -> QueryParameters {
        QueryParameters(
            index: index, start: start, end: end,
            limit: limit.flatMap { QueryParameters.Limit($0, from: side) })
    }

    private static let ages = #"""
        {"ann":{"age":30},"bob":{"age":25},"cyd":{"age":"old"},"dan":{"age":true},"eve":1,
        "fay":{"age":{"in":"years"}},"gus":{"age":25},"hal":{"age":null,"x":1}}
        """#

    @Test(arguments: [
        (query(.child("/age")), "eve hal dan bob gus ann cyd fay"),
        (query(.child("/age"), from: .init(25)), "bob gus ann cyd fay"),
        (query(.child("/age"), from: .init(25, isInclusive: false)), "ann cyd fay"),
        (query(.child("/age"), from: .init(25, key: .key("gus"))), "gus ann cyd fay"),
        (
            query(.child("/age"), from: .init(25, key: .key("bob"), isInclusive: false)),
            "gus ann cyd fay"
        ),
        (query(.child("/age"), to: .init(25)), "eve hal dan bob gus"),
        (query(.child("/age"), to: .init(25, isInclusive: false)), "eve hal dan"),
        (
            query(.child("/age"), to: .init(25, key: .key("gus"), isInclusive: false)),
            "eve hal dan bob"
        ),
        (query(.child("/age"), from: .init(nil), to: .init(nil)), "eve hal"),
        (QueryParameters.equalTo(25, index: .child("/age")), "bob gus"),
        (QueryParameters.equalTo(25, key: "gus", index: .child("/age")), "gus"),
        (query(.child("/age"), limit: 2), "eve hal"),
        (query(.child("/age"), limit: 2, .last), "cyd fay"),
        (query(.child("/age"), to: .init(30), limit: 2, .last), "gus ann"),
        (query(.child("/age"), from: .init("")), "cyd fay"),
        (query(.key, from: .init("cyd"), to: .init("eve")), "cyd dan eve"),
        (query(.key, from: .init("cyd", isInclusive: false), limit: 1), "dan"),
        (query(.key, to: .init("[MAX_NAME]"), limit: 1, .last), "hal"),
        (query(.value, limit: 2), "eve ann"), (query(.priority, limit: 3), "ann bob cyd"),
        (query(.key, from: .init("z"), to: .init("a")), ""),
        (query(.key, from: .init("a."), to: .init("e")), "ann bob cyd dan"),
        (query(.key, from: .init("")), "ann bob cyd dan eve fay gus hal"),
    ])
    func `a query shows what is between its bounds, in its order`(
        query: QueryParameters, expected: String
    ) throws {
        let node = IndexedNode(try Node(json: Self.ages), by: query.index)
        let view = NodeFilter(query).view(of: node)
        let keys = (0..<view.count).map { view[$0].key.text }
        #expect(keys.joined(separator: " ") == expected)
        #expect(node.window(of: query).map { node[$0].key.text } == keys)
    }

    @Test func `a filtered view has no priority, and of a leaf nothing`() throws {
        let node = try Node(json: #"{".priority":1,"a":1}"#)
        let limited = NodeFilter(Self.query(limit: 5))
        #expect(limited.view(of: IndexedNode(node, by: .key)).node.priority == nil)
        #expect(limited.view(of: IndexedNode(Node(1), by: .key)).node.isEmpty)
        let all = NodeFilter(Self.query())
        #expect(all.view(of: IndexedNode(node, by: .key)).node == node)
        #expect(all.view(of: IndexedNode(Node(1), by: .key)).node == Node(1))
    }

    @Test(arguments: [(0, nil as String?), (-1, nil), (Int.max, nil), (1, "ok")])
    func `a limit is a number from 1 to 2147483647`(count: Int, expected: String?) {
        #expect((QueryParameters.Limit(count, from: .first) != nil) == (expected != nil))
    }

    @Test func `equal queries are equal, in whatever steps they were made`() {
        var query = QueryParameters()
        query.start = .init("a", key: .key("k"))
        query.end = .init("b", key: .greatest)
        #expect(query == QueryParameters(start: .init("a", key: .key("k")), end: .init("b")))
        query.index = .key
        #expect(query == QueryParameters(index: .key, start: .init("a"), end: .init("b")))
        query.end = .init("c", key: .key("k"), isInclusive: false)
        #expect(query.end == .init("c", isInclusive: false))
    }

    private static let queries: [QueryParameters] = [
        query(), query(.priority), query(.value), query(.child("/a")),
        query(.key, from: .init("1"), to: .init("b")),
        query(.value, from: .init(1), to: .init("x")),
        query(.key, limit: 3), query(.key, limit: 3, .last), query(.priority, limit: 2),
        query(.priority, from: .init(1), limit: 2, .last), query(.value, limit: 4, .last),
        query(.child("/a"), limit: 2), query(.child("/a"), from: .init(nil), limit: 1, .last),
        query(.value, from: .init(true, key: .key("a"), isInclusive: false), limit: 3),
    ]

    @Test(arguments: queries)
    func `a view that follows changes is what the query shows of the end`(query: QueryParameters) {
        var chance = NodeChance(seed: 7)
        let filter = NodeFilter(query)
        var whole = IndexedNode(.empty, by: query.index)
        var view = filter.view(of: whole)
        for _ in 0..<1_500 {
            let before = view
            var changes = ChangeAccumulator()
            let (key, child) = (
                chance.key(), chance.number(below: 3) == 0 ? .empty : chance.node(depth: 2)
            )
            whole.setChild(key, to: child)
            filter.updateChild(
                &view, key, to: child,
                successor: { edge, isBackwards in
                    let position = query.index.position(of: edge)
                    return isBackwards
                        ? whole.child(at: whole.place(atOrAfter: position) - 1)
                        : whole.child(at: whole.place(after: position))
                }, noting: &changes)
            #expect(view.node == filter.view(of: whole).node)
            #expect((0..<view.count).map { view[$0].key } == sorted(view, by: query.index))
            var another = ChangeAccumulator()
            var replaced = before
            filter.update(&replaced, to: whole, noting: &another)
            #expect(another.changes == changes.changes)
            #expect(changes.changes.count <= 2)
        }
    }

    private func sorted(_ view: IndexedNode, by index: QueryIndex) -> [ChildKey] {
        view.node.children.sorted { index.position(of: $0) < index.position(of: $1) }.map(\.key)
    }
}
