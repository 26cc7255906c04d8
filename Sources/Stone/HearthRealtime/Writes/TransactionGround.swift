import HashTreeCollections
import HearthModel

/// What transactions run on: the views with the pending writes, and the counter of writes.
///
/// An engine puts its own tree in for the time of one call, and takes the tree and the news out.
package struct TransactionGround: Sendable {
    /// The views, and the pending writes over them.
    package private(set) var tree: SyncTree
    /// The highest number ever given to a write.
    package private(set) var lastWrite: WriteID
    /// The news of views, in their order.
    package private(set) var updates: [SyncTree.Update] = []
    /// The backend's clock as far as known, in milliseconds since 1970.
    private let serverTime: Int64

    /// Stands on a tree.
    ///
    /// - Parameters:
    ///   - tree: The views, and the pending writes over them.
    ///   - lastWrite: The highest number ever given to a write.
    ///   - serverTime: The backend's clock as far as known, in milliseconds since 1970.
    package init(_ tree: SyncTree, lastWrite: WriteID, serverTime: Int64) {
        self.tree = tree
        self.lastWrite = lastWrite
        self.serverTime = serverTime
    }

    /// The node of a place with pending writes, hidden ones included; empty if it is not known.
    ///
    /// - Parameter excluded: Writes that do not count.
    func node(at path: RealtimePath, without excluded: TreeSet<WriteID>) -> Node {
        tree.localNode(at: path, without: excluded)
    }

    /// Lays a transaction's result over the tree.
    mutating func lay(
        _ node: UnresolvedNode, over input: Node, at path: RealtimePath, isVisible: Bool
    ) -> PendingTransaction.Output {
        lastWrite = WriteID(lastWrite.rawValue + 1)
        let estimate = node.resolved(over: input, at: serverTime)
        updates += tree.write(
            PendingWrite(lastWrite, set: WritePath(path), to: estimate, isVisible: isVisible))
        return .init(write: lastWrite, path: path, node: node, estimate: estimate)
    }

    /// Takes a transaction's result away, because the backend has it or will not have it.
    mutating func settle(_ output: PendingTransaction.Output, isReverted: Bool) {
        updates += tree.settle(
            WriteName(output.write, set: WritePath(output.path)), isReverted: isReverted)
    }
}

extension SyncTree {
    /// The node of a place with pending writes, hidden ones included; empty if it is not known.
    ///
    /// - Parameter excluded: Writes that do not count.
    /// - Complexity: As `VisibleWrites.apply` if all writes count and none is hidden; else besides
    ///   O(writes that touch the place).
    func localNode(at path: RealtimePath, without excluded: TreeSet<WriteID>) -> Node {
        let server = completeServerNode(at: path) ?? .empty
        if excluded.isEmpty, writes.hiddenCount == 0 {
            return writes.visible.child(path).apply(to: server)
        }
        return writes.layered(at: path, without: excluded, includesHidden: true).apply(to: server)
    }
}
