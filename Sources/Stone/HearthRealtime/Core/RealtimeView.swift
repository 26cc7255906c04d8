package import HearthModel

/// A query at a place, as listeners on this machine see it.
package struct RealtimeView: Sendable {
    /// The query.
    package let query: QueryParameters
    /// What is known.
    package private(set) var cache: ViewCache
    /// Who listens, in the order of coming.
    package private(set) var listeners: [ListenerName] = []
    /// The listeners for whom the backend is not asked.
    private var unwatching: Set<ListenerName> = []

    /// The effect of one operation on the data that listeners see.
    package struct Outcome: Sendable {
        /// One change for each child that differs now.
        package let changes: [ChildChange]
        /// The node that the view showed before.
        package let before: Node
        /// Whether that was the whole result.
        let wasComplete: Bool
        /// The data that the view shows now.
        package let shown: IndexedNode
        /// Whether the whole result is known now.
        package let isComplete: Bool
        /// Whether listeners are told the value.
        ///
        /// The whole value must be known, and must have changed or just become known.
        package let isValueTold: Bool

        /// Whether there is nothing to tell listeners.
        ///
        /// The picture may change without an event, for example when a leaf is no longer known.
        package var isEmpty: Bool {
            changes.isEmpty && !isValueTold && wasComplete == isComplete && before == shown.node
        }
    }

    /// Begins with what is known already.
    ///
    /// - Parameters:
    ///   - server: The server's node, or the known children of the node.
    ///   - isServerComplete: Whether that is all.
    ///   - writes: The pending writes, as seen from the view's place.
    ///   - sortedNodes: Sorts the children.
    init(
        _ query: QueryParameters, server: Node, isServerComplete: Bool, writes: WriteLayer,
        _ sortedNodes: inout SortedNodes
    ) {
        self.query = query
        let known = sortedNodes.sorted(server, at: writes.path, by: query.index)
        let local = writes.node(over: isServerComplete ? server : nil)
        let shown =
            isServerComplete && writes.isEmpty
            ? known
            : sortedNodes.sorted(
                local ?? writes.knownChildren(over: server), at: writes.path, by: query.index)
        cache = ViewCache(
            event: CacheNode(
                NodeFilter(query).view(of: shown), isComplete: local != nil,
                isFiltered: !query.isComplete),
            server: CacheNode(known, isComplete: isServerComplete))
    }

    /// The server's node at a path below, if wholly known.
    func completeServerNode(at path: RealtimePath) -> Node? {
        guard let node = cache.server.completeNode else { return nil }
        // A filtered query knows each of its children whole, so it can answer for a place in a
        // child.
        let isKnown =
            query.isComplete
            || (path.keys.first.map { !node.child($0).isEmpty } ?? false)
        return isKnown ? node.node(at: path) : nil
    }

    /// Whether the backend is asked for some listener.
    var isWatched: Bool { listeners.count > unwatching.count }

    /// Whether the backend is asked for this listener and no other.
    func isLastWatcher(_ listener: ListenerName) -> Bool {
        listeners.count == unwatching.count + 1 && listeners.contains(listener)
            && !unwatching.contains(listener)
    }

    mutating func add(_ listener: ListenerName, isWatching: Bool) {
        listeners.append(listener)
        if !isWatching { unwatching.insert(listener) }
    }

    mutating func setWatching(_ listener: ListenerName, _ isWatching: Bool) {
        guard listeners.contains(listener) else { return }
        if isWatching { unwatching.remove(listener) } else { unwatching.insert(listener) }
    }

    mutating func remove(_ listener: ListenerName) {
        listeners.removeAll { $0 == listener }
        unwatching.remove(listener)
    }

    /// Takes an operation, which counts from the view's place.
    mutating func take(
        _ operation: SyncOperation, writes: WriteLayer, knownServer: Node?,
        _ sortedNodes: inout SortedNodes
    ) -> Outcome {
        var turn = ViewTurn(
            cache, filter: NodeFilter(query), writes: writes, knownServer: knownServer,
            sortedNodes)
        turn.take(operation)
        sortedNodes = turn.sortedNodes
        let before = cache.event
        cache = turn.cache
        shareServerSide(at: writes.path, &sortedNodes)
        return outcome(since: before, turn.changes)
    }

    /// Holds the server's node in the memory in which other views of the place hold it.
    ///
    /// Each view has made the change for itself. In time, views would share nothing.
    private mutating func shareServerSide(
        at path: RealtimePath, _ sortedNodes: inout SortedNodes
    ) {
        guard cache.server.isComplete, !cache.server.isFiltered else { return }
        let areSidesOne = cache.event.node.isSame(as: cache.server.node)
        cache.server.indexed = sortedNodes.shared(cache.server.indexed, at: path)
        if areSidesOne { cache.event.indexed = cache.server.indexed }
    }

    /// Shows other pending writes over the server's node than before. O(n).
    mutating func replaceWrites(
        _ writes: WriteLayer, _ sortedNodes: inout SortedNodes
    ) -> Outcome {
        let before = cache.event
        var changes = ChangeAccumulator()
        let local = writes.node(over: cache.server.completeNode)
        let shown = sortedNodes.sorted(
            local ?? writes.knownChildren(over: cache.server.node), at: writes.path,
            by: query.index)
        NodeFilter(query).update(&cache.event.indexed, to: shown, noting: &changes)
        cache.event.isComplete = local != nil
        return outcome(since: before, changes)
    }

    private func outcome(since before: CacheNode, _ changes: ChangeAccumulator) -> Outcome {
        Outcome(
            changes: changes.changes, before: before.node, wasComplete: before.isComplete,
            shown: cache.event.indexed,
            isComplete: cache.event.isComplete,
            isValueTold: isValueTold(before, hasChanges: !changes.isEmpty))
    }

    private func isValueTold(_ before: CacheNode, hasChanges: Bool) -> Bool {
        let now = cache.event
        guard now.isComplete else { return false }
        if hasChanges || !before.isComplete { return true }
        // Leaves and emptiness have no children that could have changed.
        let isBare = now.node.isLeaf || now.node.isEmpty
        return (isBare && now.node != before.node) || now.node.priority != before.node.priority
    }
}

/// The number of a listener, chosen by the code that drives the tree.
package struct ListenerName: Hashable, Comparable, Sendable {
    /// The number.
    package let rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
