import HearthModel
import HearthWire

/// Reading once.
extension DatabaseQuery {
    /// Reads the value once.
    ///
    /// What an observer or a write of this machine makes known wholly answers at once. Otherwise
    /// the daemon asks the backend, and the cache if the backend gives no value for whatever
    /// reason: because nobody can reach the backend, or because the rules refuse the read.
    ///
    /// - Throws: `DatabaseError`: `invalidArgument` for a mistake in the query, `unavailable` if no
    ///   daemon answers; if the cache does not know the value, `unavailable` if the backend cannot
    ///   be reached, or the refusal of the backend. `CancellationError` if the task is cancelled.
    public func getData() async throws -> DataSnapshot {
        let target = try validated()
        let event = try await database.request(.get(target, .any))
        return try snapshot(answering: event)
    }

    /// Reads the value once, and calls `completion` on a thread of Hearth's.
    public func getData(
        completion: @escaping @Sendable ((any Error)?, DataSnapshot?) -> Void
    ) {
        let client = database.client
        do throws(DatabaseError) {
            let target = try validated()
            client.request(client.nextOperation(), .realtime(.get(target, .any))) { result in
                client.callbacks.enqueue {
                    do {
                        completion(nil, try self.snapshot(answering: try result.get()))
                    } catch {
                        completion(DatabaseError.translated(error), nil)
                    }
                }
            }
        } catch {
            client.callbacks.enqueue { completion(error, nil) }
        }
    }

    private func snapshot(answering event: Event) throws(DatabaseError) -> DataSnapshot {
        guard case .node(let answer) = event else { throw Database.unexpected(event) }
        do throws(WireError) {
            return DataSnapshot(
                ref, IndexedNode(try answer.nodes.node(), by: target.query.index))
        } catch {
            throw DatabaseError(error.hearthError)
        }
    }
}
