import HearthTestSupport
import Testing

@testable import HearthModel
@testable import HearthRealtime

/// The two sides of a view for a whole node: what the server has, and what listeners see.
struct ViewSidesTests {
    /// A view at the root, which the server tells everything, and what the server has.
    private struct Model {
        let query: QueryParameters
        var tree = SyncTree()
        var server = Node.empty
        var pending: [PendingWrite] = []
        /// What a listener has that heard all changes of children.
        var heard: [ChildKey: Node] = [:]

        init(_ query: QueryParameters, knowing node: Node) {
            self.query = query
            let joining = tree.listen(ListenTarget(.root, query), ListenerName(1))
            heard = Dictionary(
                uniqueKeysWithValues: joining.shown.node.children.map { ($0.key, $0.node) })
            server = node
            hear(tree.overwrite(WritePath(.root), node))
            hear(tree.listenComplete(.root))
        }

        var cache: ViewCache? { tree.points[.root]?.view(of: query)?.cache }

        mutating func hear(_ updates: [SyncTree.Update]) {
            for change in updates.flatMap(\.outcome.changes) {
                heard[change.key] = change.kind == .removed ? nil : change.node
            }
        }

        mutating func write(_ change: (place: RealtimePath, node: Node)) {
            let write = PendingWrite(
                WriteID(Int64(pending.last?.id.rawValue ?? 0) + 1), set: WritePath(change.place),
                to: change.node)
            pending.append(write)
            hear(tree.write(write))
        }

        /// The server has another node at a place, and tells it.
        mutating func push(_ change: (place: RealtimePath, node: Node)) {
            server = server.setting(change.place, to: change.node)
            hear(tree.overwrite(WritePath(change.place), change.node))
        }

        mutating func settle(isReverted: Bool) {
            guard !pending.isEmpty else { return }
            let write = pending.removeFirst()
            if !isReverted { for part in write.parts { push((part.place.path, part.node)) } }
            hear(tree.settle(write.name, isReverted: isReverted))
        }

        var local: Node { tree.localNode(at: .root, over: server) }
    }

    private static let queries: [QueryParameters] = [
        .all, QueryParameters(index: .key), QueryParameters(index: .child("a")),
    ]

    private static func manyChildren(_ count: Int) -> Node {
        Node(
            children: (0..<count).map {
                (
                    key: ChildKey(unchecked: "k\($0)"),
                    node: Node.empty.settingChild("a", to: Node(1))
                )
            })
    }

    @Test(arguments: queries)
    func `where no write waits, both sides are one in memory`(query: QueryParameters) throws {
        var model = Model(query, knowing: Self.manyChildren(500))
        func areOne() throws -> Bool {
            let cache = try #require(model.cache)
            return cache.event.node.isSame(as: cache.server.node)
        }
        #expect(try areOne())
        model.push(("k7/a", Node(2)))
        #expect(try areOne())
        model.write(("k9/a", Node(3)))
        #expect(try !areOne())
        model.write(("k300", Node(4)))
        model.settle(isReverted: false)
        #expect(try !areOne())
        model.settle(isReverted: false)
        #expect(try areOne())
        #expect(model.cache?.event.node == model.server)
    }

    @Test func `a priority that writes had taken away comes back with the last of them`() {
        let known = Node.empty.settingChild("a", to: Node(1)).settingPriority(.integer(5))
        var model = Model(.all, knowing: known)
        model.write(("a", .empty))
        model.write(("b", Node(2)))
        #expect(model.cache?.event.node.priority == nil)
        model.settle(isReverted: true)
        model.settle(isReverted: true)
        #expect(model.cache?.event.node == known)
    }

    @Test(arguments: 0..<60)
    func `listeners see what the server has with the writes, and hear of each child`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        func leaf() -> Node { Node(.integer(Int64.random(in: 0..<3, using: &random))) }
        func children() -> Node {
            Node.empty.settingChild("a", to: leaf()).settingChild("b", to: leaf())
        }
        // Nothing is written below a leaf: what writes hide of a leaf, stories tell.
        func change() -> (place: RealtimePath, node: Node) {
            let key = ChildKey(unchecked: "k\(Int.random(in: 0..<90, using: &random))")
            let isGone = Int.random(in: 0..<4, using: &random) == 0
            switch Int.random(in: 0..<20, using: &random) {
            case 0: return (.root, isGone ? .empty : Self.manyChildren(30))
            case 1..<10: return (RealtimePath([key, "a"]), isGone ? .empty : leaf())
            default: return (RealtimePath([key]), isGone ? .empty : children())
            }
        }
        var model = Model(Self.queries[seed % 3], knowing: Self.manyChildren(60))
        for _ in 0..<120 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: model.write(change())
            case 2: model.push(change())
            case 3: model.settle(isReverted: true)
            default: model.settle(isReverted: false)
            }
            #expect(model.cache?.event.node == model.local)
            #expect(model.cache?.server.node == model.server)
            let shown = Dictionary(
                uniqueKeysWithValues: model.local.children.map { ($0.key, $0.node) })
            #expect(model.heard == shown)
        }
    }

    @Test func `a change under many children costs little more than under few`() {
        func cost(_ count: Int) -> Duration {
            var model = Model(.all, knowing: Self.manyChildren(count))
            return threadTime {
                for number in 0..<500 {
                    model.push(("k7/a", Node(.integer(Int64(number)))))
                    model.write(("k9/a", Node(.integer(Int64(number)))))
                    model.settle(isReverted: false)
                }
                #expect(model.heard["k9"] == Node.empty.settingChild("a", to: Node(499)))
            }
        }
        let (few, many) = (cost(50), cost(10_000))
        #expect(many < few * 8, "\(few) and \(many)")
    }
}
