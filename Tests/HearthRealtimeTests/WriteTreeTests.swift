import HearthModel
import HearthTestSupport
import Testing

@testable import HearthRealtime

/// The tree of pending writes, compared with the writes applied one by one.
struct WriteTreeTests {
    /// A server's tree, pending writes and what must come out of both.
    private struct Model {
        var tree = WriteTree()
        var writes: [PendingWrite] = []

        /// The result of applying the writes one by one.
        func layers(without excluded: Set<WriteID> = [], hidden: Bool = false) -> CompoundWrite {
            let counted = writes.filter {
                ($0.isVisible || hidden) && !excluded.contains($0.id)
            }
            return CompoundWrite(counted.flatMap(\.parts))
        }

        /// The writes done one by one.
        func local(over server: Node) -> Node {
            layers().parts.reduce(server) { $0.setting($1.place, to: $1.node) }
        }
    }

    private static let keys: [ChildKey] = ["a", "b", "7"]

    private func path(_ random: inout SeededGenerator, depthMax: Int = 3) -> RealtimePath {
        RealtimePath(
            (0..<Int.random(in: 0...depthMax, using: &random)).map { _ in
                Self.keys.randomElement(using: &random) ?? "a"
            })
    }

    private func node(_ random: inout SeededGenerator, depth: Int = 0) -> Node {
        let priority: LeafValue? = Bool.random(using: &random) ? nil : .integer(1)
        switch Int.random(in: 0..<(depth > 2 ? 2 : 4), using: &random) {
        case 0: return .empty
        case 1: return Node(.integer(Int64.random(in: 0..<9, using: &random)), priority: priority)
        default:
            return Node(
                children: Self.keys.map { (key: $0, node: node(&random, depth: depth + 1)) },
                priority: priority)
        }
    }

    private func write(_ id: Int64, _ random: inout SeededGenerator) -> PendingWrite {
        if Int.random(in: 0..<3, using: &random) == 0 {
            var parts = (0..<2).map { index -> CompoundWrite.Part in
                let below = path(&random, depthMax: 1)
                let place = RealtimePath([Self.keys[index]]).appending(below)
                return (WritePath(place), node(&random))
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                parts.append((WritePath(.root, isPriority: true), Node(.integer(5))))
            }
            return PendingWrite(WriteID(id), update: path(&random, depthMax: 2), parts)
        }
        let place = WritePath(path(&random), isPriority: Int.random(in: 0..<5, using: &random) == 0)
        let isVisible = Int.random(in: 0..<5, using: &random) > 0
        let value = place.isPriority ? Node(.integer(4)) : node(&random)
        return PendingWrite(WriteID(id), set: place, to: value, isVisible: isVisible)
    }

    @Test(arguments: 0..<300)
    func `what writes come to does not depend on which were taken out between them`(seed: Int)
        throws
    {
        var random = SeededGenerator(seed: UInt64(seed))
        var model = Model()
        for id in 0..<24 {
            if !model.writes.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
                let index = Int.random(in: 0..<model.writes.count, using: &random)
                let gone = model.writes.remove(at: index)
                let before = model.tree.visible.compound
                #expect(model.tree.write(gone.name) == gone)
                if !model.tree.remove(gone) { #expect(model.tree.visible.compound == before) }
                #expect(model.tree.write(gone.name) == nil)
            } else if let index = model.writes.indices.randomElement(using: &random),
                Int.random(in: 0..<6, using: &random) == 0
            {
                let edited = write(model.writes[index].id.rawValue, &random)
                model.tree.replace(model.writes[index], with: edited)
                model.writes[index] = edited
            } else {
                let write = write(Int64(id), &random)
                model.writes.append(write)
                model.tree.add(write)
            }
            #expect(model.tree.count == model.writes.count)
            #expect(model.tree.visible.compound == model.layers())
            let excluded = Set(model.writes.prefix(1).map(\.id))
            let layers = model.tree.layered(at: .root, without: excluded, includesHidden: true)
            #expect(layers == model.layers(without: excluded, hidden: true))
        }
    }

    @Test func `a long queue of one place is settled with no look at what waits`() throws {
        let count: Int64 = 20_000
        let here: [ChildKey] = []
        var place: WrittenPlace?
        for id in 1...count {
            let part = WrittenPlace.Part(
                id: WriteID(id), node: Node(.integer(id)), isVisible: true, isPriority: false)
            WrittenPlace.add(part, at: here[...], to: &place, isCovered: false)
        }
        var stepCount = 0
        for id in 1...count {
            let found = place?.part(of: WriteID(id), isPriority: false) { wanted, part in
                stepCount += 1
                return WrittenPlace.Part.order(wanted, part)
            }
            let part = try #require(found)
            // Whether a later write covers it.
            let later = place?.last(behind: part.id) { _ in
                stepCount += 1
                return true
            }
            try #require((later == nil) == (id == count))
            var removal = WrittenPlace.Removal(part.id, isPriority: false)
            WrittenPlace.remove(&removal, at: here[...], from: &place)
            try #require(removal.isFound && removal.isCovered == (id < count))
        }
        #expect(place == nil)
        #expect(stepCount < 40 * Int(count))
    }

    @Test func `a write's part is found by number and kind, even the least number`() {
        let here: [ChildKey] = []
        var place: WrittenPlace?
        for (id, isPriority) in [(Int64.min, false), (Int64.min, true), (7, true), (9, false)] {
            let part = WrittenPlace.Part(
                id: WriteID(id), node: Node(.integer(id)), isVisible: true, isPriority: isPriority)
            WrittenPlace.add(part, at: here[...], to: &place, isCovered: false)
            #expect(place?.part(of: WriteID(id), isPriority: isPriority)?.node == part.node)
        }
        #expect(place?.part(of: WriteID(.min), isPriority: true)?.isPriority == true)
        #expect(place?.part(of: WriteID(7), isPriority: false) == nil)
        #expect(place?.part(of: WriteID(8), isPriority: false) == nil)
        #expect(place?.part(of: WriteID(9), isPriority: true) == nil)
    }

    @Test(arguments: 0..<100)
    func `a place below sees what the whole tree has there`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var model = Model()
        for id in 0..<6 {
            let write = write(Int64(id), &random)
            model.writes.append(write)
            model.tree.add(write)
        }
        let server = node(&random)
        let path = path(&random)
        let local = model.local(over: server).node(at: path)
        let seen = WriteLayer(model.tree, at: path).node(over: server.node(at: path))
        #expect(seen == local)
        if let shadow = WriteLayer(model.tree, at: .root).shadow(of: WritePath(path)) {
            #expect(shadow == local)
        }
    }

    @Test func `a write that a later one covers is taken out without a look`() {
        var tree = WriteTree()
        let below = PendingWrite(WriteID(1), set: WritePath("a/b"), to: Node(1))
        let above = PendingWrite(WriteID(2), set: WritePath("a"), to: Node(2))
        tree.add(below)
        tree.add(above)
        let visible = tree.visible.compound
        let isSeen = tree.remove(below)
        #expect(!isSeen)
        #expect(tree.visible.compound == visible)
        let isLastSeen = tree.remove(above)
        #expect(isLastSeen)
        #expect(tree.visible.compound.isEmpty)
    }

    @Test
    func
        `a write that emptied the node above is taken out with that, though a later one covers it`()
    {
        var tree = WriteTree()
        let children: [(key: ChildKey, node: Node)] = [("b", Node(1))]
        let node = Node(children: children, priority: "first")
        let removal = PendingWrite(WriteID(2), set: WritePath("a/b"), to: .empty)
        tree.add(PendingWrite(WriteID(1), set: WritePath("a"), to: node))
        tree.add(removal)
        tree.add(PendingWrite(WriteID(3), set: WritePath("a/b"), to: Node(2)))
        let isSeen = tree.remove(removal)
        #expect(isSeen)
        #expect(tree.visible.completeNode(at: "a") == node.settingChild("b", to: Node(2)))
    }

    @Test func `what a removed write had emptied comes back with its priority`() {
        var tree = WriteTree()
        let children: [(key: ChildKey, node: Node)] = [("b", Node(1))]
        let node = Node(children: children, priority: "first")
        tree.add(PendingWrite(WriteID(1), set: WritePath("a"), to: node))
        let removal = PendingWrite(WriteID(2), set: WritePath("a/b"), to: .empty)
        tree.add(removal)
        #expect(tree.visible.completeNode(at: "a") == .empty)
        let isSeen = tree.remove(removal)
        #expect(isSeen)
        #expect(tree.visible.completeNode(at: "a") == node)
    }
}

extension VisibleWrites {
    /// The same effect, as a write of its own.
    fileprivate var compound: CompoundWrite {
        var compound = CompoundWrite()
        collect(at: .root, into: &compound)
        return compound
    }

    private func collect(at path: RealtimePath, into compound: inout CompoundWrite) {
        if let node { return compound.set(WritePath(path), to: node) }
        for key in childKeys { child(key).collect(at: path.appending(key), into: &compound) }
        if let priority = completeNode(at: WritePath(.root, isPriority: true)) {
            compound.set(WritePath(path, isPriority: true), to: priority)
        }
    }
}
