import HashTreeCollections
import HearthModel

/// Finds who must hear of one change, and what.
///
/// Who listens at the place of the write or above is told the write itself, one value for all. Who
/// listens below is told what it became there. A filtered query is told which of its children
/// changed, came and went. Nobody is told twice: a message without a tag counts for all listens of
/// a connection.
struct FanOut {
    /// The orders that are kept at a place from now on.
    struct KeptOrders {
        let path: RealtimePath
        let orders: TreeDictionary<QueryIndex, IndexedNode>
    }

    /// One place on the walk.
    private struct Spot {
        let point: ListenPoint
        let path: RealtimePath
        let old: Node
        let new: Node
        /// The written places here or below; or the one written place here or above that replaced
        /// everything here.
        let places: ArraySlice<WritePath>

        /// Whether the write replaced everything here.
        var isReplaced: Bool {
            guard let place = places.first else { return false }
            return !place.isPriority && place.path.depth <= path.depth
        }
    }

    private let change: TreeChange
    private let told: PushedChange
    private var toldListeners: [RealtimeListener] = []
    private var others: [(PushedChange, [RealtimeListener])] = []
    private(set) var kept: [KeptOrders] = []
    /// How many places with listeners, and filtered queries, were looked at: the work of telling.
    private(set) var examinedCount = 0

    /// Walks through the tree of listeners.
    init(_ change: TreeChange, in tree: ListenTree) {
        self.change = change
        told = change.told
        let spot = Spot(
            point: tree.root, path: .root, old: change.before, new: change.after,
            places: change.places[...])
        visit(spot, [])
    }

    /// Who is told what.
    var pushes: [(PushedChange, [RealtimeListener])] {
        toldListeners.isEmpty ? others : [(told, toldListeners)] + others
    }

    private mutating func visit(_ spot: Spot, _ heard: Set<RealtimeConnectionID>) {
        examinedCount += 1
        tellWhole(spot, heard)
        tellFiltered(spot)
        let below = spotsBelow(spot)
        guard !below.isEmpty else { return }
        var heard = heard
        for listener in spot.point.whole.keys { heard.insert(listener.connection) }
        for spot in below { visit(spot, heard) }
    }

    private func spotsBelow(_ spot: Spot) -> [Spot] {
        guard !spot.point.children.isEmpty else { return [] }
        guard spot.isReplaced else {
            return Self.groups(spot.places, at: spot.path.depth).compactMap { key, places in
                self.spot(key, of: spot, places)
            }
        }
        return spot.point.children.keys.compactMap { key in
            self.spot(key, of: spot, spot.places)
        }
    }

    private func spot(_ key: ChildKey, of spot: Spot, _ places: ArraySlice<WritePath>) -> Spot? {
        guard let point = spot.point.children[key] else { return nil }
        let (old, new) = (spot.old.child(key), spot.new.child(key))
        if spot.isReplaced, old == new { return nil }
        return Spot(
            point: point, path: spot.path.appending(key), old: old, new: new, places: places)
    }

    /// The places below a path by the key that comes next.
    private static func groups(
        _ places: ArraySlice<WritePath>, at depth: Int
    ) -> [(key: ChildKey, places: ArraySlice<WritePath>)] {
        var result: [(key: ChildKey, places: ArraySlice<WritePath>)] = []
        var rest = places.drop { $0.path.depth == depth }
        while let key = rest.first?.path.keys[depth] {
            let group = rest.prefix { $0.path.keys[depth] == key }
            result.append((key, group))
            rest = rest.dropFirst(group.count)
        }
        return result
    }
}

/// Telling the listeners that hear everything at a place.
extension FanOut {
    private mutating func tellWhole(_ spot: Spot, _ heard: Set<RealtimeConnectionID>) {
        guard !spot.point.whole.isEmpty else { return }
        let listeners = spot.point.whole.keys.filter { !heard.contains($0.connection) }
        guard !listeners.isEmpty else { return }
        if spot.path.depth <= change.base.depth {
            toldListeners += listeners
        } else if spot.isReplaced {
            guard spot.old != spot.new else { return }
            others.append((.overwrite(WritePath(spot.path), spot.new), listeners))
        } else {
            let children = spot.places.map { child(at: $0, of: spot) }
            others.append((.merge(spot.path, children), listeners))
        }
    }

    private func child(at place: WritePath, of spot: Spot) -> RealtimeTold {
        let relative = place.dropFirst(spot.path.depth)
        return RealtimeTold(relative, spot.new.node(at: relative))
    }
}

/// Telling the listeners that hear a part of a place's children.
extension FanOut {
    private mutating func tellFiltered(_ spot: Spot) {
        guard !spot.point.filtered.isEmpty || !spot.point.orders.isEmpty else { return }
        guard !spot.isReplaced else { return tellReplaced(spot) }
        let groups = Self.groups(spot.places, at: spot.path.depth)
        guard !groups.isEmpty else { return }
        let orders = movedOrders(spot, groups.map(\.key))
        for (query, listeners) in spot.point.filtered {
            examinedCount += 1
            let index = query.index
            let old = QueryWindow(
                query, spot.point.orders[index] ?? IndexedNode(spot.old, by: index))
            let new = QueryWindow(query, orders[index] ?? IndexedNode(spot.new, by: index))
            let children = moves(groups, from: old, to: new, at: spot)
            guard let first = children.first else { continue }
            let change =
                children.count == 1
                ? PushedChange.overwrite(first.place.below(spot.path), first.node)
                : .merge(spot.path, children)
            others.append((change, Array(listeners)))
        }
    }

    /// What a query over children that were all replaced shows now.
    private mutating func tellReplaced(_ spot: Spot) {
        var orders: TreeDictionary<QueryIndex, IndexedNode> = [:]
        for (query, listeners) in spot.point.filtered {
            examinedCount += 1
            let index = query.index
            let old = spot.point.orders[index] ?? IndexedNode(spot.old, by: index)
            let new = orders[index] ?? IndexedNode(spot.new, by: index)
            if !new.isByKey { orders[index] = new }
            let shown = QueryWindow(query, new).node
            guard QueryWindow(query, old).node != shown else { continue }
            others.append((.overwrite(WritePath(spot.path), shown), Array(listeners)))
        }
        kept.append(KeptOrders(path: spot.path, orders: orders))
    }

    /// The orders at a place after some children changed.
    private mutating func movedOrders(
        _ spot: Spot, _ keys: [ChildKey]
    ) -> TreeDictionary<QueryIndex, IndexedNode> {
        var orders = spot.point.orders
        for index in orders.keys { orders[index]?.take(spot.new, changing: keys) }
        for query in spot.point.filtered.keys where orders[query.index] == nil {
            // The first priority among the children, or what made it matter.
            let children = IndexedNode(spot.new, by: query.index)
            if !children.isByKey { orders[query.index] = children }
        }
        if !orders.isEmpty { kept.append(KeptOrders(path: spot.path, orders: orders)) }
        return orders
    }

    /// What changed in a window, child by child.
    private func moves(
        _ groups: [(key: ChildKey, places: ArraySlice<WritePath>)], from old: QueryWindow,
        to new: QueryWindow, at spot: Spot
    ) -> [RealtimeTold] {
        var result: [RealtimeTold] = []
        for (key, places) in groups {
            switch (old.contains(key), new.contains(key)) {
            case (true, true): result += places.map { child(at: $0, of: spot) }
            case (false, true): result.append(whole(key, spot.new.child(key)))
            case (true, false): result.append(whole(key, .empty))
            case (false, false): break
            }
        }
        let changed = Set(groups.map(\.key))
        for key in old.edges(changed.count) where !changed.contains(key) && !new.contains(key) {
            result.append(whole(key, .empty))
        }
        for key in new.edges(changed.count) where !changed.contains(key) && !old.contains(key) {
            result.append(whole(key, spot.new.child(key)))
        }
        return result
    }

    private func whole(_ key: ChildKey, _ node: Node) -> RealtimeTold {
        RealtimeTold(WritePath(RealtimePath([key])), node)
    }
}
