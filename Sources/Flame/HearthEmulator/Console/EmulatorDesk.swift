package import HearthBackend
package import HearthModel
package import HearthRules

/// What a console may see and do in an emulator: everything, as the owner.
///
/// The log keeps no request of a console, and no rule judges one.
package struct EmulatorDesk: Sendable {
    let host: BackendHost
    let realtime: RealtimeHost
    /// The newest requests of others.
    package let requests: RequestLog
    /// The database that is there even without documents.
    package let database: DatabaseID

    /// The databases that hold or held documents, and the usual one, in the order of names.
    package var databases: [DatabaseID] {
        Set(host.databases.map(\.database) + [database])
            .sorted { utf8Precedes($0.name, $1.name) }
    }

    /// The trees that were ever named, in the order of names.
    package var instances: [RealtimeNamespace] { realtime.picture.namespaceNames }

    /// A picture of a database.
    ///
    /// - Throws: The `HearthError` of a host that fails or goes down.
    package func view(of database: DatabaseID) async throws(HearthError) -> ReadView {
        try await answer { host.read(.nothing, in: database, .latest, then: $0) }
    }

    /// What a query finds.
    ///
    /// - Throws: `HearthError` for a query that the backend does not take.
    package func documents(
        _ query: StructuredQuery, in database: DatabaseID
    ) async throws(HearthError) -> [Document] {
        let plan = try QueryPlan(query, in: database)
        let view = try await answer { reply in
            host.read(.query(plan), in: database, .latest, then: reply)
        }
        return view.run(plan).documents
    }

    /// Makes writes, all or none. If there is a disk, the writes are on disk when this returns.
    ///
    /// - Throws: `HearthError` for writes that the backend refuses, or that the disk cannot take.
    package func commit(
        _ writes: [Mutation], in database: DatabaseID
    ) async throws(HearthError) {
        _ = try await answer { host.commit(writes, in: database, then: $0) }
    }

    /// Tells when documents change.
    package func follow(
        _ subject: WatchRequest.Subject, in database: DatabaseID
    ) -> DocumentFollower {
        DocumentFollower(subject, in: database, of: host)
    }

    /// The host's answer to one call.
    private func answer<Value: Sendable>(
        _ ask: (@escaping BackendHost.Reply<Value>) -> Void
    ) async throws(HearthError) -> Value {
        let result = await withCheckedContinuation { continuation in
            ask { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}

/// Places of the Realtime Database.
extension EmulatorDesk {
    /// A node with all that lies below. O(depth).
    package func node(at path: RealtimePath, of namespace: RealtimeNamespace) -> Node {
        realtime.picture.root(of: namespace).node(at: path)
    }

    /// Tells when a node changes.
    package func follow(
        _ path: RealtimePath, of namespace: RealtimeNamespace
    ) -> NodeFollower {
        NodeFollower(path, of: namespace, in: realtime)
    }

    /// Replaces what is at some places, all or none.
    ///
    /// - Parameter writes: JSON as clients write it by path; one write alone may be to the root.
    /// - Throws: `HearthError` `invalidArgument` for places or values that are not allowed.
    package func write(
        _ writes: [(path: String, value: JSONValue)], to namespace: RealtimeNamespace
    ) async throws(HearthError) {
        let call = try Self.call(for: writes)
        let result = await withCheckedContinuation { continuation in
            realtime.call(call, of: namespace, by: .admin, isNoted: false) {
                continuation.resume(returning: $0)
            }
        }
        if case .error(let reason) = try result.get().body {
            throw HearthError(code: .invalidArgument, message: reason)
        }
    }

    private static func call(
        for writes: [(path: String, value: JSONValue)]
    ) throws(HearthError) -> RealtimeCall {
        do throws(NodeError) {
            if writes.count == 1, WritePath(writes[0].path)?.path.isRoot == true {
                let node = try NodeReader.read(JSONWriter.bytes(of: writes[0].value))
                return RealtimeCall(.put(node), at: WritePath(.root))
            }
            let update = JSONValue.object(writes.map { .init(name: $0.path, value: $0.value) })
            let parts = try RealtimeUpdate.read(JSONWriter.bytes(of: update), below: .root)
            return RealtimeCall(.merge(parts), at: WritePath(.root))
        } catch {
            throw HearthError(code: .invalidArgument, message: "\(error)")
        }
    }
}

/// Rules of the Realtime Database: in force, tried, published.
extension EmulatorDesk {
    /// What the rules of a tree have come to. Shape: as `RuleReport.json` has it.
    package func ruleReport(of namespace: RealtimeNamespace) -> JSONValue {
        realtime.ruleReport(of: namespace)
    }

    /// Tries a request against rules that need not be in force. Nothing is changed.
    ///
    /// - Parameters:
    ///   - trial: The request.
    ///   - rules: The source of the rules.
    ///   - namespace: The database whose data the rules read.
    /// - Throws: `RulesError` with line and column if `rules` cannot be read.
    package func outcome(
        of trial: RealtimeRuleTrial, by rules: String, in namespace: RealtimeNamespace
    ) throws(RulesError) -> RuleTrial.Outcome {
        let root = realtime.picture.root(of: namespace)
        return try trial.outcome(by: rules, in: root, at: realtime.clock.now)
    }

    /// Gives a tree its rules from now on; the folder keeps them, if there is one.
    ///
    /// - Throws: `HearthError` `invalidArgument` with line and column.
    package func publish(
        _ rules: String, for namespace: RealtimeNamespace
    ) async throws(HearthError) {
        let error = await withCheckedContinuation { continuation in
            realtime.setRules(rules, of: namespace) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }
}

/// Rules of Firestore: in force, tried, published.
extension EmulatorDesk {
    /// What the rules of a project have come to. Shape: as `RuleReport.json` has it.
    package func ruleReport(of project: String) -> JSONValue { host.ruleReport(of: project) }

    /// Whether a project is held to rules at all.
    package func hasRules(_ project: String) -> Bool { host.hasRules(project) }

    /// Tries a request against rules that need not be in force. Nothing is changed.
    ///
    /// - Throws: `RulesError` with line and column, or the `HearthError` of a failing host.
    package func outcome(
        of trial: RuleTrial, by rules: String, in database: DatabaseID
    ) async throws -> RuleTrial.Outcome {
        try trial.outcome(by: rules, in: try await view(of: database), at: host.clock.now)
    }

    /// Gives a project its rules from now on; the folder keeps them, if there is one.
    ///
    /// - Throws: `HearthError` `invalidArgument` with line and column.
    package func publish(_ rules: String, for project: String) async throws(HearthError) {
        let kept = KeptRules(project: project, source: rules)
        _ = try await answer { host.keepRules(kept, then: $0) }
    }
}
