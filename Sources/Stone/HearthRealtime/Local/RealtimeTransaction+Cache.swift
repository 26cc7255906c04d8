import HearthEngine
package import HearthModel

/// What the disk has of the server's node of a query.
package struct StoredNode: Sendable {
    /// The node, or the known children of the node.
    package let node: Node
    /// Whether that is the whole node, or the whole result of the query.
    package let isComplete: Bool
}

/// What the disk tells of the server's tree.
///
/// The disk has the tree as far as somebody listened. A tracked query tells which part of it was
/// complete when the last connection ended:
///
///     a query for a whole node   everything at its place and below
///     a filtered query           the children of its keys; others may lie beside them, out of date
extension RealtimeTransaction {
    /// The server's node of a query, or what is known of it; `nil` for nothing.
    ///
    /// - Complexity: O(size of the result), and for a part of a result O(children).
    func cached(_ target: ListenTarget) throws(StoreError) -> StoredNode? {
        if try isWhole(target.path) {
            return try StoredNode(node: serverNode(at: target.path), isComplete: true)
        }
        if !target.query.isComplete, let query = try trackedQuery(of: target), query.isComplete {
            let node = try serverNode(at: target.path, children: keys(of: query.id))
            return StoredNode(node: node, isComplete: true)
        }
        let known = try knownChildren(of: target.path)
        guard !known.isEmpty else { return nil }
        return StoredNode(
            node: try serverNode(at: target.path, children: known.sorted()), isComplete: false)
    }

    /// The children of a place that the disk has whole, though the disk has not all of the place:
    /// children with a listen of their own, and children that a filtered query of the place shows.
    ///
    /// - Source: firebase-android-sdk `core/persistence/TrackedQueryManager.java`, the known children.
    private func knownChildren(of path: RealtimePath) throws(StoreError) -> Set<ChildKey> {
        var known: Set<ChildKey> = []
        for query in try trackedQueries(atOrBelow: path) where query.isComplete {
            let (place, parameters) = (query.target.path, query.target.query)
            if !parameters.isComplete, place.depth == path.depth {
                known.formUnion(try keys(of: query.id))
            } else if parameters.isComplete, place.depth == path.depth + 1, let key = place.last {
                known.insert(key)
            }
        }
        return known
    }

    /// Whether the disk has the whole node of a place. O(depth log n).
    func isWhole(_ path: RealtimePath) throws(StoreError) -> Bool {
        try trackedQueries(atOrAbove: path).contains {
            $0.isComplete && $0.target.query.isComplete
        }
    }

    /// The server's node at a place, if the disk has the whole of it.
    func wholeNode(at path: RealtimePath) throws(StoreError) -> Node? {
        try isWhole(path) ? serverNode(at: path) : nil
    }

    /// Notes what changed in the node of a place.
    func setServerNode(
        at path: RealtimePath, from old: Node, to new: Node
    ) throws(StoreError) {
        for change in new.differences(from: old) {
            try setServerNode(change.node, at: change.place.below(path))
        }
    }

    /// Notes which children are the result of a filtered query. O(result).
    func setKeys(of query: TrackedQuery, to result: Node) throws(StoreError) {
        let old = Set(try keys(of: query.id))
        let new = Set(result.children.map(\.key))
        guard old != new else { return }
        try changeKeys(of: query.id, adding: new.subtracting(old), removing: old.subtracting(new))
    }

    /// Notes what changed in the result of a filtered query.
    ///
    /// Children that left the result stay on the disk: they may still be there, or be out of date. As
    /// the query reads only the children of its keys, nobody is shown them.
    ///
    /// - Source: firebase-android-sdk, merges of tagged updates into the server cache.
    func setWindow(
        of query: TrackedQuery, from old: Node, to new: Node
    ) throws(StoreError) {
        let path = query.target.path
        var (added, removed): ([ChildKey], [ChildKey]) = ([], [])
        for change in new.childDifferences(from: old) {
            if change.new.isEmpty {
                removed.append(change.key)
                continue
            }
            if change.old.isEmpty { added.append(change.key) }
            // What was no part of the result may be on the disk otherwise than here.
            if change.old.isEmpty {
                try setServerNode(change.new, at: WritePath(path.appending(change.key)))
            } else {
                try setServerNode(
                    at: path.appending(change.key), from: change.old, to: change.new)
            }
        }
        if !added.isEmpty || !removed.isEmpty {
            try changeKeys(of: query.id, adding: added, removing: removed)
        }
    }
}
