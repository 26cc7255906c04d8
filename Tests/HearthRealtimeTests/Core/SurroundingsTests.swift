import HearthModel
import Testing

@testable import HearthRealtime

/// Who comes next into a full window, and what it costs to know.
struct SurroundingsTests {
    private static let query = QueryParameters(index: .value, limit: .init(10, from: .first))

    private static func key(_ number: Int) -> ChildKey { ChildKey(unchecked: "k\(1_000 + number)") }

    /// The view of a query over a node of a hundred known numbers.
    private func view(_ writes: WriteTree = WriteTree()) -> ViewCache {
        let node = Node(children: (0..<100).map { (Self.key($0), Node(.integer(Int64($0)))) })
        let whole = IndexedNode(node, by: .value)
        return ViewCache(
            event: CacheNode(
                NodeFilter(Self.query).view(of: whole), isComplete: true, isFiltered: true),
            server: CacheNode(whole, isComplete: true))
    }

    private func turn(_ cache: ViewCache, _ writes: WriteTree, _ known: Node?) -> ViewTurn {
        ViewTurn(
            cache, filter: NodeFilter(Self.query), writes: WriteLayer(writes, at: .root),
            knownServer: known)
    }

    private func numbers(_ cache: ViewCache) -> [Int64] {
        (0..<cache.event.indexed.count).compactMap { place in
            if case .integer(let number)? = cache.event.indexed[place].node.leaf {
                number
            } else {
                nil
            }
        }
    }

    @Test func `a merge that empties a full window puts its surroundings in order once`() {
        let cache = view()
        var turn = turn(cache, WriteTree(), cache.server.node)
        let parts = CompoundWrite(
            (0..<10).map { (WritePath(RealtimePath([Self.key($0)])), Node.empty) })
        turn.take(SyncOperation(.server, .merge(.root, parts)))
        #expect(numbers(turn.cache) == Array(10..<20))
        #expect(turn.surroundings.orderCount == 1)
    }

    @Test func `a child that a pending write moved comes into the window in its place`() {
        var writes = WriteTree()
        writes.add(
            PendingWrite(WriteID(1), set: WritePath(RealtimePath([Self.key(50)])), to: Node(9)))
        writes.add(
            PendingWrite(WriteID(2), set: WritePath(RealtimePath([Self.key(10)])), to: .empty))
        let cache = view(writes)
        var turn = turn(cache, writes, cache.server.node)
        turn.take(
            SyncOperation(.server, .overwrite(WritePath(RealtimePath([Self.key(0)])), .empty)))
        #expect(numbers(turn.cache) == Array(1...9) + [9])
        #expect(turn.surroundings.orderCount == 1)
    }

    @Test func `the surroundings of a window that knows itself alone follow the server`() {
        let known = view().event
        var cache = ViewCache(event: known, server: known)
        cache.server.isFiltered = true
        var turn = turn(cache, WriteTree(), nil)
        let parts = CompoundWrite([
            (WritePath(RealtimePath([Self.key(0)])), .empty),
            (WritePath(RealtimePath([Self.key(1)])), .empty),
            (WritePath(RealtimePath([Self.key(50)])), Node(50)),
            (WritePath(RealtimePath([Self.key(51)])), Node(51)),
        ])
        turn.take(SyncOperation(.query, .merge(.root, parts)))
        #expect(numbers(turn.cache) == Array(2..<10) + [50, 51])
        #expect(turn.surroundings.orderCount <= 1)
    }
}
