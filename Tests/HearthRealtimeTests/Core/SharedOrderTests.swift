import HearthModel
import HearthTestSupport
import Testing

@testable import HearthRealtime

/// Views that share orders show by random changes what views of their own would show.
struct SharedOrderTests {
    private static let queries: [QueryParameters] = [
        .all, QueryParameters(index: .child("b")),
        QueryParameters(index: .child("b"), limit: .init(3, from: .first)),
        QueryParameters(index: .child("b"), limit: .init(2, from: .last)),
        QueryParameters(
            index: .child("b"), start: .init(1), limit: .init(4, from: .first)),
        QueryParameters(index: .child("b"), start: .init(1), end: .init(2)),
        QueryParameters(index: .child("a"), limit: .init(3, from: .first)),
        QueryParameters(index: .priority, limit: .init(3, from: .last)),
    ]

    private struct Chance {
        var random: SeededGenerator

        mutating func number(below end: Int) -> Int { .random(in: 0..<end, using: &random) }

        mutating func leaf() -> Node { Node(.integer(Int64(number(below: 4)))) }

        mutating func child() -> Node {
            let priority: LeafValue? =
                number(below: 5) == 0 ? .integer(Int64(number(below: 3))) : nil
            return Node.empty.settingChild("a", to: leaf()).settingChild("b", to: leaf())
                .settingPriority(priority)
        }

        mutating func key() -> ChildKey { ChildKey(unchecked: "k\(number(below: 700))") }

        mutating func node() -> Node {
            Node(children: (0..<600).map { (ChildKey(unchecked: "k\($0)"), child()) })
        }

        mutating func change() -> (place: RealtimePath, node: Node) {
            switch number(below: 24) {
            case 0: (.root, number(below: 3) == 0 ? .empty : node())
            case 1..<10: (RealtimePath([key(), "b"]), number(below: 4) == 0 ? .empty : leaf())
            default: (RealtimePath([key()]), number(below: 3) == 0 ? .empty : child())
            }
        }
    }

    /// A tree with a view of each query at the root, and what the server has.
    private struct Model {
        var tree = SyncTree()
        /// Whether each view sorts for itself.
        let isAlone: Bool
        private var server = Node.empty
        private var pending: [PendingWrite] = []
        private var writeCount: Int64 = 0

        init(isAlone: Bool) { self.isAlone = isAlone }

        var local: Node { tree.localNode(at: .root, over: server) }

        mutating func listen(to query: QueryParameters) {
            let name = ListenerName(UInt64(SharedOrderTests.queries.firstIndex(of: query) ?? 0))
            _ = tree.listen(ListenTarget(.root, query), name)
        }

        mutating func unlisten(_ query: QueryParameters) {
            let name = ListenerName(UInt64(SharedOrderTests.queries.firstIndex(of: query) ?? 0))
            _ = tree.unlisten(ListenTarget(.root, query), name)
        }

        mutating func write(_ change: (place: RealtimePath, node: Node)) -> [SyncTree.Update] {
            forget()
            writeCount += 1
            let write = PendingWrite(
                WriteID(writeCount), set: WritePath(change.place), to: change.node)
            pending.append(write)
            return tree.write(write)
        }

        mutating func push(_ change: (place: RealtimePath, node: Node)) -> [SyncTree.Update] {
            forget()
            server = server.setting(change.place, to: change.node)
            return tree.overwrite(WritePath(change.place), change.node)
        }

        mutating func settle(isReverted: Bool) -> [SyncTree.Update] {
            guard !pending.isEmpty else { return [] }
            let write = pending.removeFirst()
            var updates: [SyncTree.Update] = []
            if !isReverted {
                for part in write.parts { updates += push((part.place.path, part.node)) }
            }
            forget()
            return updates + tree.settle(write.name, isReverted: isReverted)
        }

        private mutating func forget() {
            if isAlone { tree.sortedNodes = SortedNodes() }
        }

        /// What a view has, in its order.
        func view(of query: QueryParameters) -> RealtimeView? {
            tree.points[.root]?.view(of: query)
        }
    }

    private static func isInOrder(_ indexed: IndexedNode) -> Bool {
        let all = 0..<indexed.count
        return indexed.keys(at: all)
            == IndexedNode(indexed.node, by: indexed.index).keys(at: all)
    }

    private func expectEqual(_ shared: Model, _ alone: Model, _ message: String) {
        for query in Self.queries {
            guard let view = shared.view(of: query), let other = alone.view(of: query) else {
                #expect((shared.view(of: query) == nil) == (alone.view(of: query) == nil))
                continue
            }
            let (cache, expected) = (view.cache, other.cache)
            #expect(cache.event.node == expected.event.node, "\(message), \(query)")
            #expect(cache.server.node == expected.server.node, "\(message), \(query)")
            #expect(cache.event.isComplete == expected.event.isComplete)
            #expect(Self.isInOrder(cache.event.indexed), "\(message), \(query)")
            #expect(Self.isInOrder(cache.server.indexed), "\(message), \(query)")
            let fresh = NodeFilter(query).view(of: IndexedNode(shared.local, by: query.index))
            #expect(cache.event.node == fresh.node, "\(message), \(query)")
        }
    }

    @Test(arguments: 0..<6)
    func `shared orders change nothing of what views show and tell`(seed: UInt64) {
        var chance = Chance(random: SeededGenerator(seed: seed))
        var (shared, alone) = (Model(isAlone: false), Model(isAlone: true))
        func both(_ body: (inout Model) -> [SyncTree.Update], _ message: String) {
            let (updates, expected) = (body(&shared), body(&alone))
            #expect(updates.map(\.query) == expected.map(\.query), "\(message)")
            #expect(
                updates.map(\.outcome.changes) == expected.map(\.outcome.changes), "\(message)")
        }
        let first = chance.node()
        both(
            { model in
                for query in Self.queries { model.listen(to: query) }
                return model.push((.root, first)) + model.tree.listenComplete(.root)
            }, "seed \(seed), at first")
        for step in 0..<60 {
            let message = "seed \(seed), step \(step)"
            switch chance.number(below: 8) {
            case 0, 1, 2:
                let change = chance.change()
                both({ $0.write(change) }, message)
            case 3:
                let change = chance.change()
                both({ $0.push(change) }, message)
            case 4: both({ $0.settle(isReverted: true) }, message)
            case 5:
                let query = Self.queries[1 + chance.number(below: Self.queries.count - 1)]
                for isComing in [false, true] {
                    both(
                        { model in
                            if isComing { model.listen(to: query) } else { model.unlisten(query) }
                            return []
                        }, message)
                }
            default: both({ $0.settle(isReverted: false) }, message)
            }
            if step % 6 == 5 { expectEqual(shared, alone, message) }
        }
    }
}
