import HearthModel

/// What lies beside the children of a limited view: the local node in the view's order.
///
/// A full window that loses a child asks who comes next. The order is made at the first question,
/// from the order in which the view keeps the server's node, or from the orders that views share.
/// It serves one operation.
struct Surroundings {
    private let writes: WriteLayer
    /// The server's node, if a view further up knows the whole node.
    private let knownServer: Node?
    /// The order, if somebody asked for it: `.some(nil)` if the node is not known.
    private var order: IndexedNode??
    /// Whether the order was made from the server's node as the view has it.
    private var isOwn = false
    /// How often the order was made.
    private(set) var orderCount = 0

    /// Nobody has asked yet.
    init(_ writes: WriteLayer, _ knownServer: Node?) {
        self.writes = writes
        self.knownServer = knownServer
    }

    /// The child next to a child, which need not be there itself; `nil` if none is known.
    ///
    /// - Parameters:
    ///   - server: The server's node as the view has it.
    ///   - sortedNodes: Sorts the local node if the view does not keep that order.
    /// - Complexity: O(log n); the first time besides what the order costs.
    mutating func neighbour(
        of child: NodeChildren.Element, backwards: Bool, server: CacheNode,
        _ sortedNodes: inout SortedNodes
    ) -> NodeChildren.Element? {
        let known = order ?? make(server, &sortedNodes)
        order = .some(known)
        guard let known else { return nil }
        let position = known.index.position(of: child)
        let place =
            backwards ? known.place(atOrAfter: position) - 1 : known.place(after: position)
        return known.child(at: place)
    }

    private mutating func make(
        _ server: CacheNode, _ sortedNodes: inout SortedNodes
    ) -> IndexedNode? {
        orderCount += 1
        isOwn = knownServer == nil || (server.isComplete && !server.isFiltered)
        guard isOwn else {
            return writes.node(over: knownServer).map {
                sortedNodes.sorted($0, at: writes.path, by: server.indexed.index)
            }
        }
        return writes.node(over: server.indexed, isComplete: server.isComplete, &sortedNodes)
    }

    /// The server has some children otherwise than before. O(changes log n).
    mutating func serverChanged(_ changes: [ChildChange]) {
        guard isOwn, var known = order ?? nil else { return }
        order = nil  // So that the change is made in place.
        for change in changes {
            let server = change.kind == .removed ? .empty : change.node
            known.setChild(change.key, to: writes.child(change.key, over: server))
        }
        order = known
    }

    /// The server's node is another one.
    mutating func forget() { order = nil }
}
