import HearthModel

extension Firestore {
    /// Writes, and waits until the write has come as far as `stage`.
    nonisolated(nonsending) func write(
        _ mutations: [Mutation], _ conditions: WriteConditions = WriteConditions(),
        until stage: WriteStage
    ) async throws -> WriteReceipt {
        let ticket = WriteTicket(owner: self)
        let id = client.nextOperation()
        client.write(id, .mutations(mutations, conditions), isAwaited: true, ticket)
        let receipt = WriteReceipt(client: client, id: id, ticket: ticket)
        switch stage {
        case .accepted: try await receipt.accepted()
        case .committed: try await receipt.committed()
        }
        return receipt
    }

    /// Writes, and calls `completion`, if there is one, when the backend has answered.
    func write(
        _ completion: (@Sendable ((any Error)?) -> Void)?,
        _ mutation: () throws(FirestoreError) -> Mutation
    ) {
        do throws(FirestoreError) {
            write([try mutation()], completion)
        } catch {
            guard let completion else { return }
            client.callbacks.enqueue { completion(error) }
        }
    }

    /// Writes, and calls `completion`, if there is one, when the backend has answered.
    func write(_ mutations: [Mutation], _ completion: (@Sendable ((any Error)?) -> Void)?) {
        let ticket = WriteTicket(owner: self)
        if let completion {
            let callbacks = client.callbacks
            ticket.whenSettled { result in
                callbacks.enqueue {
                    switch result {
                    case .success: completion(nil)
                    case .failure(let error): completion(error)
                    }
                }
            }
        }
        client.write(
            client.nextOperation(), .mutations(mutations), isAwaited: completion != nil, ticket)
    }
}
