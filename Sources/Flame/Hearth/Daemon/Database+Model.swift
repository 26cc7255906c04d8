package import HearthModel
import HearthWire

/// What Hearth's own console needs besides a program's calls: nodes in the form of the model, and a
/// choice of where a read is answered from.
extension DatabaseQuery {
    /// Reads the node once.
    ///
    /// - Throws: `DatabaseError` as `getData`; `unavailable` if the cache alone may answer and never
    ///   knew the place wholly.
    package func node(from source: RealtimeSource) async throws -> (node: Node, isFromCache: Bool) {
        let event = try await database.request(.get(try validated(), source))
        guard case .node(let answer) = event else { throw Database.unexpected(event) }
        do throws(WireError) {
            return (try answer.nodes.node(), answer.isFromCache)
        } catch {
            throw DatabaseError(error.hearthError)
        }
    }
}

extension DataSnapshot {
    /// The node in the form of the model.
    package var model: Node { node }
}

extension PendingNodeWrite {
    /// A change in the form of the model, written from the root, and checked like any write.
    ///
    /// - Throws: `DatabaseError` `invalidArgument`; see `PendingNodeWrite`.
    package static func modelChange(
        of writes: [PendingNodeWrite], in database: Database
    ) throws -> RealtimeChange {
        try change(of: writes, in: database.reference())
    }
}

extension Database {
    /// Writes, and waits until the write is durable on this machine.
    ///
    /// - Returns: The number of the batch in the queue.
    /// - Throws: `DatabaseError` as every write.
    package func accept(_ change: RealtimeChange) async throws -> Int64 {
        try await reference().write(change, until: .accepted).accepted()
    }
}
