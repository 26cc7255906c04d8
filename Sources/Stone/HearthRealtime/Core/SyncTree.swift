package import HearthModel

/// All views by their places, and the pending writes over the views.
///
/// Every operation goes to the views that can see the change: first to the views below the place of
/// the operation, deepest first, then to the views at the places on the way up.
package struct SyncTree: Sendable {
    /// The news of one view for its listeners.
    package struct Update: Sendable {
        /// Where the view is.
        package let path: RealtimePath
        /// The query that the view shows.
        package let query: QueryParameters
        /// Who listens.
        package let listeners: [ListenerName]
        /// What changed.
        package let outcome: RealtimeView.Outcome
    }

    var points = PathTree<SyncPoint>()
    /// The pending writes.
    package private(set) var writes = WriteTree()
    /// The tags of filtered queries that the server tells of.
    var tags = TagTable()
    /// The orders of large nodes, which views share.
    var sortedNodes = SortedNodes()

    /// A tree without views.
    package init() {}

    // MARK: Writes

    /// Lays a program's write over the tree, after all pending writes.
    package mutating func write(_ write: PendingWrite) -> [Update] {
        writes.add(write)
        guard write.isVisible else { return [] }
        if write.isMerge {
            return apply(
                .init(.user, .merge(write.path, write.content)), at: write.path,
                within: write.content)
        }
        guard let part = write.parts.first else { return [] }
        return apply(.init(.user, .overwrite(part.place, part.node)), at: write.path)
    }

    /// A write is pending no more.
    ///
    /// - Parameter isReverted: Whether the write did not happen. If the write happened, the result
    ///   of the server has come before this call.
    package mutating func settle(_ name: WriteName, isReverted: Bool) -> [Update] {
        writes.write(name).map { settle($0, isReverted: isReverted) } ?? []
    }

    /// A write that was found already, or some of its parts, is pending no more.
    ///
    /// - Parameters:
    ///   - write: The write, or a write of the same number with some of its parts.
    ///   - isReverted: Whether the write did not happen.
    ///   - leavesParts: Whether other parts of the write stay pending.
    mutating func settle(
        _ write: PendingWrite, isReverted: Bool, leavesParts: Bool = false
    ) -> [Update] {
        guard writes.remove(write, leavesParts: leavesParts) else { return [] }
        let isPriority = !write.isMerge && write.content.node == nil
        if isReverted {
            let place = WritePath(write.path, isPriority: isPriority)
            return apply(.init(.user, .reverted(place)), at: write.path, within: write.content)
        }
        let affected: AffectedPlaces =
            write.isMerge ? .some(write.content) : .all(isPriority: isPriority)
        return apply(
            .init(.user, .acknowledged(write.path, affected)), at: write.path,
            within: write.content)
    }

    /// Shows at a place what the server and the pending writes make of the place, and nothing else.
    ///
    /// A view for which the server is not asked stays as it is: nobody has told the view anything.
    mutating func showAnew(_ place: WritePath) -> [Update] {
        apply(.init(.user, .reverted(place)), at: place.path, where: \.isWatched)
    }

    /// A pending write becomes another, at its old turn among the pending writes.
    ///
    /// - Parameter name: The name of the write as it was.
    package mutating func replace(_ name: WriteName, with write: PendingWrite) -> [Update] {
        guard let old = writes.write(name) else { return [] }
        writes.replace(old, with: write)
        return [old.path, write.path].flatMap { path in
            apply(.init(.user, .reverted(WritePath(path))), at: path)
        }
    }

    /// Other pending writes take the place of all, since another user's queue counts.
    package mutating func replaceWrites(with new: WriteTree) -> [Update] {
        writes = new
        var updates: [Update] = []
        for path in places {
            let layer = WriteLayer(writes, at: path)
            updates += change(path, isWhole: true) { $0.replaceWrites(layer, &$1) }
        }
        return updates
    }

    private var places: [RealtimePath] {
        var places: [RealtimePath] = []
        points.walkUp { _, path in places.append(path) }
        return places
    }

    // MARK: The server

    /// The server has another node at a place.
    package mutating func overwrite(_ place: WritePath, _ node: Node) -> [Update] {
        apply(.init(.server, .overwrite(place, node)), at: place.path)
    }

    /// The server has other nodes at several places below one.
    package mutating func merge(_ path: RealtimePath, _ parts: CompoundWrite) -> [Update] {
        apply(.init(.server, .merge(path, parts)), at: path, within: parts)
    }

    /// The server has told all that there is of a place.
    ///
    /// Views below hear it too: the server tells nothing if what the listen knew was all.
    package mutating func listenComplete(_ path: RealtimePath) -> [Update] {
        guard let known = points[path]?.knownWhole else {
            return applyAtPoint(.init(.server, .listenComplete), at: path, only: nil)
        }
        let operation = SyncOperation(.server, .overwrite(WritePath(path), known))
        var updates: [Update] = []
        for place in placesBelow(path) { updates += applyFromRoot(operation, at: place) }
        return updates + applyFromRoot(operation, at: path)
    }

    /// The server has sent a filtered query a new node. An unknown tag belongs to a query that has
    /// ended.
    ///
    /// - Parameters:
    ///   - place: The place, or the priority of the place, that the server named.
    ///   - node: The new node.
    ///   - tag: The query's tag.
    package mutating func overwrite(_ place: WritePath, _ node: Node, tag: ListenTag) -> [Update] {
        guard let target = tags[tag], let below = place.relative(to: target.path) else {
            return []
        }
        return applyAtPoint(
            .init(.query, .overwrite(below, node)), at: target.path, only: target.query)
    }

    /// The server has sent a filtered query several new nodes.
    ///
    /// - Parameters:
    ///   - path: The place from which the server counts.
    ///   - parts: The places below `path` with their new nodes.
    ///   - tag: The query's tag. An unknown tag belongs to a query that has ended.
    package mutating func merge(_ path: RealtimePath, _ parts: CompoundWrite, tag: ListenTag)
        -> [Update]
    {
        guard let target = tags[tag], let rest = target.path.relative(path) else { return [] }
        return applyAtPoint(
            .init(.query, .merge(rest, parts)), at: target.path, only: target.query)
    }

    /// The server has told all that there is of a filtered query.
    package mutating func listenComplete(tag: ListenTag) -> [Update] {
        guard let target = tags[tag] else { return [] }
        return applyAtPoint(.init(.query, .listenComplete), at: target.path, only: target.query)
    }

    // MARK: Applying

    /// Has the views at, above and below a place take an operation that counts from the root.
    ///
    /// - Parameters:
    ///   - reach: The places below that the operation names; `nil` if it reaches all.
    ///   - isMeant: Whether a view takes the operation.
    /// - Complexity: O(depth + views that the operation reaches), whatever views there are besides.
    private mutating func apply(
        _ operation: SyncOperation, at path: RealtimePath, within reach: CompoundWrite? = nil,
        where isMeant: (RealtimeView) -> Bool = { _ in true }
    ) -> [Update] {
        var updates: [Update] = []
        for place in placesBelow(path, within: reach) {
            updates += applyFromRoot(operation, at: place, where: isMeant)
        }
        var depths: [Int] = []
        points.walk(to: path) { _, depth in
            depths.append(depth)
            return true
        }
        for depth in depths.reversed() {
            updates += applyFromRoot(
                operation, at: RealtimePath(path.keys[..<depth]), where: isMeant)
        }
        return updates
    }

    /// The places with views below a place, each place after the places below.
    private func placesBelow(
        _ path: RealtimePath, within reach: CompoundWrite? = nil
    ) -> [RealtimePath] {
        var places: [RealtimePath] = []
        points.subtree(at: path)?.walkUp(within: reach) { _, below in
            if !below.isRoot { places.append(path.appending(below)) }
        }
        return places
    }

    private mutating func applyFromRoot(
        _ operation: SyncOperation, at path: RealtimePath,
        where isMeant: (RealtimeView) -> Bool = { _ in true }
    ) -> [Update] {
        operation.seen(from: path).map {
            applyAtPoint($0, at: path, only: nil, where: isMeant)
        } ?? []
    }

    private mutating func applyAtPoint(
        _ operation: SyncOperation, at path: RealtimePath, only query: QueryParameters?,
        where isMeant: (RealtimeView) -> Bool = { _ in true }
    ) -> [Update] {
        let knownServer = query == nil ? completeServerNode(at: path) : nil
        let layer = WriteLayer(writes, at: path)
        let isWhole =
            query == nil && operation.isWhole && layer.shadow(of: WritePath(.root)) == nil
        return change(path, isWhole: isWhole) {
            $0.take(
                operation, only: query, where: isMeant, writes: layer, knownServer: knownServer,
                &$1)
        }
    }

    /// Has the views at a place change.
    ///
    /// - Parameter isWhole: Whether all views may get another node. Orders that none of them then
    ///   asks for are of the past.
    private mutating func change(
        _ path: RealtimePath, isWhole: Bool,
        _ body: (inout SyncPoint, inout SortedNodes) -> [SyncPoint.News]
    ) -> [Update] {
        var orders = SortedNodes()
        swap(&orders, &sortedNodes)
        if isWhole { orders.beginVersion(of: path) }
        let news = points.change(path) { body(&$0, &orders) } ?? []
        if isWhole { orders.endVersion(of: path) }
        sortedNodes = orders
        return news.map {
            Update(path: path, query: $0.query, listeners: $0.listeners, outcome: $0.outcome)
        }
    }

    /// The server's node at a place, if a view there or further up knows the whole node.
    func completeServerNode(at path: RealtimePath) -> Node? {
        var found: Node?
        points.walk(to: path) { point, depth in
            found = point.completeServerNode(at: RealtimePath(path.keys[depth...]))
            return found == nil
        }
        return found
    }
}
