package import HearthEngine
package import HearthFirestore
package import HearthModel

/// One-time reads, for specs.
extension StoryDriver {
    /// Reads a query once.
    package func read(_ query: Query, from source: ReadSource) -> RequestID {
        let id = RequestID(session: session, number: nextNumber())
        take(.get(id, query, source))
        drain()
        fire(upTo: .watchBackoff)
        return id
    }

    /// What a read was answered since answers were last forgotten.
    package func answer(to read: RequestID) -> ViewSnapshot? {
        for case .answer(read, let snapshot) in actions { return snapshot }
        return nil
    }

    /// Why a read was refused since answers were last forgotten.
    package func refusal(of read: RequestID) -> StatusCode? {
        for case .refuse(read, let error) in actions { return error.code }
        return nil
    }
}
