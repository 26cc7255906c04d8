package import HearthModel

/// A query at a place, as listeners on this machine see it.
package struct RealtimeView: Sendable {
    /// The query.
    package let query: QueryParameters
    /// What is known.
    package private(set) var cache: ViewCache
    /// Who listens, in the order of coming.
    package private(set) var listeners: [ListenerName] = []

    /// The effect of one operation on the data that listeners see.
    package struct Outcome: Sendable {
        /// One change for each child that differs now.
        package let changes: [ChildChange]
        /// The data that the view shows now.
        package let shown: IndexedNode
        /// Whether listeners are told the value.
        ///
        /// The whole value must be known, and must have changed or just become known.
        package let isValueTold: Bool

        /// Whether there is nothing to tell listeners.
        package var isEmpty: Bool { changes.isEmpty && !isValueTold }
    }

    /// Begins with what is known already.
    ///
    /// - Parameters:
    ///   - server: The server's node, or the known children of the node.
    ///   - isServerComplete: Whether that is all.
    init(
        _ query: QueryParameters, server: Node, isServerComplete: Bool, writes: WriteLayer
    ) {
        self.query = query
        let local = writes.node(over: isServerComplete ? server : nil)
        let shown = local ?? writes.knownChildren(over: server)
        let sorted = IndexedNode(shown, by: query.index)
        cache = ViewCache(
            event: CacheNode(
                NodeFilter(query).view(of: sorted), isComplete: local != nil,
                isFiltered: !query.isComplete),
            server: CacheNode(
                IndexedNode(server, by: query.index), isComplete: isServerComplete))
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

    mutating func add(_ listener: ListenerName) {
        listeners.append(listener)
    }

    mutating func remove(_ listener: ListenerName) {
        listeners.removeAll { $0 == listener }
    }

    /// Takes an operation, which counts from the view's place.
    mutating func take(
        _ operation: SyncOperation, writes: WriteLayer, knownServer: Node?
    ) -> Outcome {
        var turn = ViewTurn(
            cache, filter: NodeFilter(query), writes: writes, knownServer: knownServer)
        turn.take(operation)
        let before = cache
        cache = turn.cache
        return Outcome(
            changes: turn.changes.changes, shown: cache.event.indexed,
            isValueTold: isValueTold(before.event, hasChanges: !turn.changes.isEmpty))
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
