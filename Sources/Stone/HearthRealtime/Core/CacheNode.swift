package import HearthModel

/// The data that a view knows of one side: the server side, or the side that listeners see.
package struct CacheNode: Sendable {
    /// What is known, its children in the order of the view.
    package var indexed: IndexedNode
    /// Whether that is all there is, or all that the filter lets through.
    package var isComplete: Bool
    /// Whether a filter has taken children away.
    package var isFiltered: Bool

    /// Takes the known node.
    ///
    /// - Parameters:
    ///   - indexed: What is known, its children in the order of the view.
    ///   - isComplete: Whether the known node is all there is, or all that the filter lets through.
    ///   - isFiltered: Whether a filter has taken children away.
    package init(_ indexed: IndexedNode, isComplete: Bool = false, isFiltered: Bool = false) {
        self.indexed = indexed
        self.isComplete = isComplete
        self.isFiltered = isFiltered
    }

    /// What is known.
    package var node: Node { indexed.node }

    /// The node, if wholly known.
    package var completeNode: Node? { isComplete ? node : nil }

    /// Whether a child is known, there or not.
    package func isComplete(for key: ChildKey) -> Bool {
        (isComplete && !isFiltered) || !node.child(key).isEmpty
    }

    /// Whether what a path leads to is known, there or not.
    package func isComplete(for path: RealtimePath) -> Bool {
        path.keys.first.map(isComplete(for:)) ?? (isComplete && !isFiltered)
    }
}

/// The data that a view knows of both sides.
package struct ViewCache: Sendable {
    /// The side that listeners see: the server side with the pending writes on top.
    package var event: CacheNode
    /// The server side.
    package var server: CacheNode

    /// Takes both sides.
    package init(event: CacheNode, server: CacheNode) {
        self.event = event
        self.server = server
    }
}
