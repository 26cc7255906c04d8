import HearthEngine
import HearthModel
import HearthRealtime
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct ServerNodeTests {
    private let bench: RealtimeBench
    private var store: RealtimeSQLiteStore { bench.store }

    init() throws {
        bench = try RealtimeBench()
    }

    /// Puts a node in its place in the store and in a plain tree, and compares all that can be asked.
    private func set(
        _ node: Node, _ place: WritePath, _ twin: inout Node, _ chance: inout RealtimeChance
    ) throws {
        twin = twin.setting(place, to: node)
        let places = [place.path, chance.path(), chance.path(2)]
        let keys = (0..<3).map { _ in chance.key() }
        try store.turnAlone { transaction in
            try transaction.setServerNode(node, at: place)
            let whole = try transaction.serverNode(at: .root)
            #expect(whole == twin)
            for path in places {
                let found = try transaction.serverNode(at: path)
                #expect(found == twin.node(at: path), "\(path)")
                let children = try transaction.serverNode(at: path, children: keys)
                let expected = keys.map { (key: $0, node: twin.node(at: path).child($0)) }
                #expect(children == Node(children: expected), "\(path)")
            }
        }
        let byteCount = try store.turnAlone { try $0.serverByteCount() }
        #expect(try store.serverRows().byteCount == byteCount)
    }

    @Test func `the beginning of a large node has its first children, each of them whole`() throws {
        let text = Node(.string(String(repeating: "x", count: 300)))
        // A child in one row, and a child with a priority and rows of its own.
        let long = Node(children: ["a", "b", "c", "d"].map { ($0, text) }, priority: .integer(1))
        let children = (0..<20).map { number in
            (ChildKey(unchecked: "k\(10 + number)"), number.isMultiple(of: 3) ? long : text)
        }
        let node = Node(children: children, priority: .integer(7))
        try store.set(WritePath("place"), node)
        try store.set(WritePath("placf"), text)
        let rowCount = try store.serverRows().count - 1
        for partCount in 1...rowCount {
            let found = try store.turnAlone {
                try $0.serverBeginning(at: "place", partCount: partCount, ifMoreThan: rowCount - 1)
            }
            let beginning = try #require(found)
            #expect(
                beginning.children.elementsEqual(
                    node.children.prefix(beginning.childCount), by: ==))
            #expect(beginning.childCount >= (partCount - 1) / 5 - 1)
        }
        let small = try store.turnAlone {
            try $0.serverBeginning(at: "place", partCount: 1, ifMoreThan: rowCount)
        }
        #expect(small == nil)
    }

    @Test(arguments: UInt64(1)...12)
    func `what is pruned goes, but for what is kept`(seed: UInt64) throws {
        var chance = RealtimeChance(seed: seed)
        for _ in 0..<40 {
            var twin = Node.empty
            for _ in 0..<3 { try set(chance.node(4), WritePath(chance.path(2)), &twin, &chance) }
            let path = chance.path(3)
            let kept = (0..<chance.chance(5)).map { _ in
                path.appending(chance.chance(9) == 0 ? .root : chance.path(3))
            }
            let rest = kept.compactMap(path.relative).reduce(Node.empty) { rest, place in
                let node = twin.node(at: path).node(at: place)
                return node.isEmpty ? rest : rest.setting(place, to: node)
            }
            twin = twin.setting(path, to: rest)
            try store.turnAlone { try $0.pruneServerNode(at: path, except: kept) }
            #expect(try store.node() == twin, "\(path) except \(kept)")
            let byteCount = try store.turnAlone { try $0.serverByteCount() }
            #expect(try store.serverRows().byteCount == byteCount)
            try set(.empty, WritePath(.root), &twin, &chance)
        }
    }

    @Test(arguments: UInt64(1)...12)
    func `what is pruned in parts ends as if it had been pruned at once`(seed: UInt64) throws {
        var chance = RealtimeChance(seed: seed)
        for _ in 0..<40 {
            var twin = Node.empty
            for _ in 0..<3 { try set(chance.node(4), WritePath(chance.path(2)), &twin, &chance) }
            let path = chance.path(2)
            let kept = (0..<chance.chance(5)).map { _ in path.appending(chance.path(3)) }
            let rest = kept.compactMap(path.relative).reduce(Node.empty) { rest, place in
                let node = twin.node(at: path).node(at: place)
                return node.isEmpty ? rest : rest.setting(place, to: node)
            }
            twin = twin.setting(path, to: rest)
            var (isDone, partCount) = (false, 0)
            while !isDone, partCount < 1_000 {
                let before = try store.serverRows().count
                let room = PruneRoom(rowCount: 1 + chance.chance(3), byteCount: 100_000)
                isDone = try store.turnAlone { transaction in
                    var left = room
                    return try transaction.pruneServerNode(at: path, except: kept, within: &left)
                }
                let count = try store.serverRows().count
                // Besides go priorities of places that are empty then.
                if !isDone { #expect(count < before && before - count <= 8 * room.rowCount) }
                let byteCount = try store.turnAlone { try $0.serverByteCount() }
                #expect(try store.serverRows().byteCount == byteCount)
                partCount += 1
            }
            #expect(isDone)
            #expect(try store.node() == twin, "\(path) except \(kept)")
            try set(.empty, WritePath(.root), &twin, &chance)
        }
    }

    @Test func `a part of a pruning takes no more rows and bytes than it has room for`() throws {
        let text = Node(.string(String(repeating: "x", count: 500)))
        let large = Node(
            children: (0..<1_000).map { (key: ChildKey(unchecked: "k\($0)"), node: text) })
        try store.set(at("large"), large)
        try store.set(at("other"), text)
        let rowCount = try store.serverRows().count
        func prune(_ rowCount: Int, _ byteCount: Int) throws -> (isDone: Bool, left: PruneRoom) {
            try store.turnAlone { transaction in
                var room = PruneRoom(rowCount: rowCount, byteCount: byteCount)
                let isDone = try transaction.pruneServerNode(
                    at: "large", except: ["large/k7"], within: &room)
                return (isDone, room)
            }
        }
        let byRows = try prune(200, 1 << 30)
        #expect(!byRows.isDone && byRows.left.rowCount == 0)
        #expect(try store.serverRows().count == rowCount - 200)
        let byBytes = try prune(1_000, 10_000)
        #expect(!byBytes.isDone && byBytes.left.isUsedUp)
        #expect(try store.serverRows().count >= rowCount - 200 - 20)
        let last = try prune(1_000, 1 << 30)
        #expect(last.isDone && !last.left.isUsedUp)
        #expect(try store.node("large") == Node.empty.setting("k7", to: text))
        #expect(try store.node("other") == text)
    }

    @Test(arguments: UInt64(1)...24)
    func `the tree on disk is as a plain node would be, whatever is put where`(seed: UInt64)
        throws
    {
        var chance = RealtimeChance(seed: seed)
        var twin = Node.empty
        for _ in 0..<60 {
            let path = chance.path()
            switch chance.chance(10) {
            case 0...1: try set(.empty, WritePath(path), &twin, &chance)
            case 2...3:
                let node = chance.priority().map { Node($0) } ?? .empty
                try set(node, WritePath(path, isPriority: true), &twin, &chance)
            default: try set(chance.node(), WritePath(path), &twin, &chance)
            }
        }
        try set(.empty, WritePath(.root), &twin, &chance)
        #expect(try store.serverRows().count == 0)
        #expect(try store.turnAlone { try $0.serverByteCount() } == 0)
    }

    /// How many rows a turn changes that puts a number in a place.
    private func rowCount(changedBy place: WritePath) throws -> Int64 {
        try store.turnAlone { transaction in
            let before = store.connection.totalChangeCount
            try transaction.setServerNode(Node(.integer(-1)), at: place)
            return store.connection.totalChangeCount - before
        }
    }

    private func rooms(_ count: Int) -> Node {
        Node(
            children: (0..<count).map { number in
                (
                    key: ChildKey(unchecked: "room\(number)"),
                    node: Node.empty.settingChild("name", to: Node(.string("Room \(number)")))
                        .settingChild("size", to: Node(.integer(Int64(number))))
                )
            })
    }

    @Test func `a small node is one row, and a change in it writes one row`() throws {
        let room = rooms(5)
        try store.set(at("rooms"), room)
        #expect(try store.serverRows().count == 1)
        #expect(try rowCount(changedBy: at("rooms/room3/size")) == 1)
        #expect(try store.node("rooms/room3/size") == Node(.integer(-1)))
        #expect(try store.serverRows().count == 1)
    }

    @Test func `a change in a node of many children writes a row, not the node`() throws {
        try store.set(at("rooms"), rooms(20_000))
        #expect(try store.serverRows().count == 20_000)
        for place in [at("rooms/room77/size"), at("rooms/new")] {
            #expect(try rowCount(changedBy: place) == 1)
            #expect(try store.node(place.path) == Node(.integer(-1)))
        }
        #expect(try store.node("rooms").childCount == 20_001)
        #expect(try store.node("rooms/room19999/size") == Node(.integer(19_999)))
    }

    @Test func `a node that grows beyond a row is split, and keeps its priorities`() throws {
        var twin = Node.empty
        for number in 0..<40 {
            let key = ChildKey(unchecked: "k\(number)")
            let text = Node(.string(String(repeating: "x", count: 90)), priority: .integer(2))
            let place = WritePath(RealtimePath(["list", key]))
            try store.set(place, text)
            twin = twin.setting(place, to: text)
            let priority = at("list", isPriority: true)
            try store.set(priority, Node(.string("p")))
            twin = twin.setting(priority, to: Node(.string("p")))
            #expect(try store.node() == twin)
        }
        #expect(try store.serverRows().count > 1)
        for number in 0..<40 {
            try store.set(
                WritePath(RealtimePath(["list", ChildKey(unchecked: "k\(number)")])), .empty)
        }
        #expect(try store.node().isEmpty)
        #expect(try store.serverRows().count == 0, "The priority of an emptied node stayed")
    }

    @Test func `a leaf of any length is one row, and gives way to a child`() throws {
        let long = Node(.string(String(repeating: "y", count: 100_000)), priority: .integer(1))
        try store.set(at("a/b"), long)
        #expect(try store.node("a/b") == long)
        #expect(try store.serverRows().count == 1)
        try store.set(at("a/b/c"), Node(.bool(true)))
        let expected = Node.empty.setting("a/b", to: long).setting("a/b/c", to: Node(.bool(true)))
        #expect(try store.node() == expected)
        #expect(try store.node("a/b").priority == .integer(1))
    }
}
