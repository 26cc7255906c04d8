package import HearthModel

/// REST, as far as it is about data. Methods, headers and JSON are the shell's.
extension RealtimeBackend {
    /// Carries out one call.
    ///
    /// - Parameters:
    ///   - caller: Who calls, as rules see the caller.
    ///   - now: The time of the call.
    ///   - random: The source of randomness for a new name.
    /// - Returns: The answer, to be told after all effects up to now.
    package mutating func take(
        _ call: RealtimeCall, of namespace: RealtimeNamespace, by caller: RealtimeCaller,
        at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> RealtimeReply {
        let asker = Asker(namespace: namespace, caller: caller, now: now.milliseconds)
        update(namespace) { _ in }
        do throws(RealtimeRefusal) {
            try checkConditions(of: call)
            let reply = try carryOut(call, asker, using: &random)
            guard call.parameters.print == .silent, reply.status == .ok else { return reply }
            return RealtimeReply(.noContent, .none, tag: reply.tag)
        } catch {
            return RealtimeReply(error)
        }
    }

    private func checkConditions(of call: RealtimeCall) throws(RealtimeRefusal) {
        guard call.ifMatch != nil else { return }
        if call.parameters.print == .silent {
            throw RealtimeRefusal(.failed, "If-Match cannot be combined with print=silent")
        }
        switch call.verb {
        case .put, .remove: return
        case .read, .merge, .push:
            throw RealtimeRefusal(.failed, "If-Match is only supported on PUT and DELETE")
        }
    }

    private mutating func carryOut(
        _ call: RealtimeCall, _ asker: Asker, using random: inout some RandomNumberGenerator
    ) throws(RealtimeRefusal) -> RealtimeReply {
        switch call.verb {
        case .read: return try read(call, asker)
        case .put(let node):
            return try replace(call, try RealtimeWrite(call.place, node), asker)
        case .remove:
            return try replace(
                call, try RealtimeWrite(call.place, UnresolvedNode(Node.empty)), asker)
        case .merge(let children):
            try checkIsNode(call.place)
            let write = try RealtimeWrite(below: call.place.path, children)
            let after = try commit(write, ifHash: nil, asker).after
            let told = children.map { child in
                RealtimeTold(child.place, after.node(at: child.place.below(call.place.path)))
            }
            return RealtimeReply(
                .ok, .children(told, withPriorities: call.parameters.hasPriorities))
        case .push(let node): return try push(node, call, asker, using: &random)
        }
    }

    private mutating func read(
        _ call: RealtimeCall, _ asker: Asker
    ) throws(RealtimeRefusal) -> RealtimeReply {
        let query = call.parameters.query
        var node = try get(
            call.place.path, query ?? .all, asker, demandsIndex: query != nil)
        if call.place.isPriority { node = node.priorityNode }
        if call.parameters.isShallow, node.isEmpty {
            // Firebase's tools ask with a limit whether there is anything, and a leaf is something.
            let whole = root(of: asker.namespace).node(at: call.place.path)
            if whole.isLeaf { node = whole }
        }
        let wantsTag = call.wantsTag || call.ifNoneMatch != nil
        let tag = wantsTag ? RealtimeReply.tag(of: node) : nil
        if let tag, let known = call.ifNoneMatch, utf8Equals(tag, known) {
            return RealtimeReply(.notModified, .none, tag: tag)
        }
        if call.parameters.isShallow, node.childCount > 0 {
            return RealtimeReply(.ok, .keys(node.children.map(\.key)), tag: tag)
        }
        return RealtimeReply(.ok, body(node, of: call), tag: tag)
    }

    private mutating func replace(
        _ call: RealtimeCall, _ write: RealtimeWrite, _ asker: Asker
    ) throws(RealtimeRefusal) -> RealtimeReply {
        let hash = call.ifMatch.map { utf8Equals($0, RealtimeReply.absentTag) ? "" : $0 }
        do throws(RealtimeRefusal) {
            let change = try commit(write, ifHash: hash, asker)
            let node = change.after.node(at: call.place)
            let tag = call.wantsTag ? RealtimeReply.tag(of: node) : nil
            return RealtimeReply(.ok, body(node, of: call), tag: tag)
        } catch {
            guard error.status == .dataStale else { throw error }
            return try conflict(call, asker)
        }
    }

    /// The answer to a failed condition, with the present content if the caller may read the place.
    private mutating func conflict(
        _ call: RealtimeCall, _ asker: Asker
    ) throws(RealtimeRefusal) -> RealtimeReply {
        guard update(asker.namespace, { $0.mayRead(call.place.path, .all, asker) }) else {
            return RealtimeReply(.stale)
        }
        let node = root(of: asker.namespace).node(at: call.place)
        return RealtimeReply(
            .preconditionFailed, body(node, of: call), tag: RealtimeReply.tag(of: node))
    }

    private mutating func push(
        _ node: UnresolvedNode, _ call: RealtimeCall, _ asker: Asker,
        using random: inout some RandomNumberGenerator
    ) throws(RealtimeRefusal) -> RealtimeReply {
        try checkIsNode(call.place)
        let key = update(asker.namespace) { $0.pushIDs.next(at: asker.now, using: &random) }
        let place = WritePath(call.place.path.appending(key))
        try commit(try RealtimeWrite(place, node), ifHash: nil, asker)
        return RealtimeReply(.ok, .name(key))
    }

    private func checkIsNode(_ place: WritePath) throws(RealtimeRefusal) {
        guard !place.isPriority else {
            throw RealtimeRefusal(.failed, "A priority has no children.")
        }
    }

    private func body(_ node: Node, of call: RealtimeCall) -> RealtimeReply.Body {
        .node(node, withPriorities: call.parameters.hasPriorities)
    }
}
