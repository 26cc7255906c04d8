import HearthModel
import HearthWire

/// What the program's calls change, checked.
extension DatabaseReference {
    typealias Completion = @Sendable ((any Error)?, DatabaseReference) -> Void

    /// The set of this place.
    func setting(
        _ value: Any?, priority: Any? = nil
    ) throws(DatabaseError) -> RealtimeChange {
        try checkWritable()
        return .set(WritePath(path), try UserNode.read(value, priority: priority, at: path))
    }

    /// The set of this place's priority.
    func settingPriority(_ priority: Any?) throws(DatabaseError) -> RealtimeChange {
        try checkWritable()
        return .set(
            WritePath(path, isPriority: true), try UserNode.readPriority(priority, at: path))
    }

    /// The update of places below this one; `nil` if it names none.
    func updating(_ values: [AnyHashable: Any]) throws(DatabaseError) -> RealtimeChange? {
        try checkWritable()
        var parts: [RealtimeChange.Part] = []
        parts.reserveCapacity(values.count)
        for (name, value) in values {
            guard let text = name.base as? String else {
                throw refused("the path \(name) is no string")
            }
            guard let place = WritePath(text) else {
                _ = try Database.path(text, below: path)
                throw refused("\"\(text)\" is no place that can be written")
            }
            let full = path.appending(place.path)
            let node =
                place.isPriority
                ? try UserNode.readPriority(value, at: full)
                : try UserNode.read(value, at: full)
            parts.append(RealtimeChange.Part(place, node))
        }
        if parts.isEmpty { return nil }
        let change = RealtimeChange.update(
            path, parts.sorted { WritePath.compare($0.place, $1.place) < 0 })
        if let objection = change.objection { throw refused(objection) }
        return change
    }

    /// Checks an update of places below this one, without writing.
    ///
    /// - Throws: `invalidArgument` for what `updateChildValues` would refuse before it asks the daemon.
    package func checkUpdate(_ values: [AnyHashable: Any]) throws(DatabaseError) {
        _ = try updating(values)
    }

    private func checkWritable() throws(DatabaseError) {
        if path.isInfo { throw refused("what lies below .info is the daemon's to say") }
        if path.depth > RealtimePath.depthMax {
            throw refused("\(NodeError.tooDeep(depthMax: RealtimePath.depthMax))".withoutStop)
        }
    }

    private func refused(_ why: String) -> DatabaseError {
        DatabaseError(.invalidArgument, "\(path) cannot be written: \(why).")
    }

    /// Writes, and waits until the write has come as far as `stage`. Without a change nothing needs
    /// writing.
    nonisolated(nonsending) func write(
        _ change: RealtimeChange?, until stage: WriteStage
    ) async throws -> DatabaseReceipt {
        let client = database.client
        let id = client.nextOperation()
        guard let change else { return DatabaseReceipt(client: client, id: id, ticket: nil) }
        let ticket = WriteTicket(owner: database)
        client.write(id, .change(change), isAwaited: true, ticket)
        let receipt = DatabaseReceipt(client: client, id: id, ticket: ticket)
        try await receipt.wait(until: stage)
        return receipt
    }

    /// Writes, and calls `completion`, if there is one, when the backend has answered.
    func write(
        _ completion: Completion?, _ change: () throws(DatabaseError) -> RealtimeChange?
    ) {
        let client = database.client
        let callbacks = client.callbacks
        do throws(DatabaseError) {
            guard let change = try change() else {
                if let completion { callbacks.enqueue { completion(nil, self) } }
                return
            }
            let ticket = WriteTicket(owner: database)
            if let completion {
                ticket.whenSettled { result in
                    callbacks.enqueue {
                        switch result {
                        case .success: completion(nil, self)
                        case .failure(let error): completion(DatabaseError.translated(error), self)
                        }
                    }
                }
            }
            client.write(
                client.nextOperation(), .change(change), isAwaited: completion != nil, ticket)
        } catch {
            ClientLog.note("a write was refused: \(error)")
            if let completion { callbacks.enqueue { completion(error, self) } }
        }
    }
}
