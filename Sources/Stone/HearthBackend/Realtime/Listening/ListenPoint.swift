import HashTreeCollections
import HearthModel

/// All listeners of one namespace, found by the places where they listen.
///
/// A change walks from the root to the place of the write, and from there only to the changed
/// places: the walk touches no other listener. Indexes of children stand beside the listeners that
/// need them, so the same walk keeps the indexes up to date.
struct ListenTree: Sendable {
    private(set) var root = ListenPoint()

    /// Whether nobody listens, and no order is kept.
    var isEmpty: Bool { root.isEmpty }

    /// What stands at a place, if anything does.
    func point(at path: RealtimePath) -> ListenPoint? {
        var point = root
        for key in path.keys {
            guard let next = point.children[key] else { return nil }
            point = next
        }
        return point
    }

    /// Changes the listen point at a place, and takes the point out if it has become empty.
    mutating func update<Result>(
        at path: RealtimePath, _ body: (inout ListenPoint) -> Result
    ) -> Result {
        root.update(path.keys[...], body)
    }
}

/// The listeners at one place, and the kept indexes of the place's children.
struct ListenPoint: Sendable {
    private(set) var children: TreeDictionary<ChildKey, ListenPoint> = [:]
    /// The listeners that are told everything here, each with its number of listens.
    private(set) var whole: TreeDictionary<RealtimeListener, Int> = [:]
    /// The listeners that are told a part of the children, by their queries.
    private(set) var filtered: TreeDictionary<QueryParameters, TreeSet<RealtimeListener>> = [:]
    /// The kept orders of the children here, among them the orders of all live queries.
    ///
    /// Each holds the node as it is now.
    var orders: TreeDictionary<QueryIndex, IndexedNode> = [:]

    /// Whether nothing is here or below.
    fileprivate var isEmpty: Bool {
        children.isEmpty && whole.isEmpty && filtered.isEmpty && orders.isEmpty
    }

    /// Adds a listen, which is not there yet. The order that a query needs must be there.
    mutating func insert(_ listener: RealtimeListener, for query: QueryParameters) {
        if Self.isWhole(query, listener) {
            whole[listener, default: 0] += 1
        } else {
            filtered[query, default: []].insert(listener)
        }
    }

    mutating func remove(_ listener: RealtimeListener, for query: QueryParameters) {
        if Self.isWhole(query, listener) {
            let count = whole[listener] ?? 0
            whole[listener] = count > 1 ? count - 1 : nil
            return
        }
        guard var listeners = filtered[query] else { return }
        listeners.remove(listener)
        filtered[query] = listeners.isEmpty ? nil : listeners
    }

    /// The order of the children here by an index, if it is kept.
    func order(by index: QueryIndex) -> IndexedNode? { orders[index] }

    /// Lets go of an order that no live query needs.
    mutating func releaseOrder(_ index: QueryIndex) {
        if !filtered.keys.contains(where: { $0.index == index }) { orders[index] = nil }
    }

    /// Whether a listen is told everything in messages without a tag.
    static func isWhole(_ query: QueryParameters, _ listener: RealtimeListener) -> Bool {
        query.isComplete && listener.tag == nil
    }

    fileprivate mutating func update<Result>(
        _ keys: ArraySlice<ChildKey>, _ body: (inout ListenPoint) -> Result
    ) -> Result {
        guard let key = keys.first else { return body(&self) }
        var child = children.removeValue(forKey: key) ?? ListenPoint()
        defer { if !child.isEmpty { children[key] = child } }
        return child.update(keys.dropFirst(), body)
    }
}
