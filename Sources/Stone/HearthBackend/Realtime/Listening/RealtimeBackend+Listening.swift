import HashTreeCollections
import HearthModel

/// Reading and being told.
extension RealtimeBackend {
    /// Tells what is at a place, unless the client holds the same, and every change from then on.
    mutating func listen(
        _ listen: RealtimeListen, for id: RealtimeConnectionID, _ asker: Asker
    ) throws(RealtimeRefusal) -> Answer {
        let hasIndex = try checkRead(listen.path, listen.query, asker, false)
        let key = RealtimeConnection.ListenKey(
            path: listen.path, query: listen.query, tag: listen.tag)
        let shown = try begin(key, for: id, asker)
        if let change = Self.firstPush(shown, for: listen) {
            effect(.push(change, to: [RealtimeListener(id, tag: listen.tag)]))
        }
        return .listening(hasIndex || listen.query.isComplete ? [] : [.noIndex])
    }

    /// Tells a stream of REST what is at a place; see `watch`.
    mutating func stream(
        _ path: RealtimePath, _ query: QueryParameters?, for id: RealtimeConnectionID,
        _ asker: Asker
    ) throws(RealtimeRefusal) -> Answer {
        _ = try checkRead(path, query ?? .all, asker, query != nil)
        let tag = query?.isComplete ?? true ? nil : Self.streamTag
        let key = RealtimeConnection.ListenKey(path: path, query: query ?? .all, tag: tag)
        let shown = try begin(key, for: id, asker)
        effect(.push(.overwrite(WritePath(path), shown), to: [RealtimeListener(id, tag: tag)]))
        return .listening([])
    }

    /// The number of a stream's filtered query: a stream has one query only.
    private static let streamTag = 1

    /// Adds a listen, if it is not there yet, and returns what the query finds.
    ///
    /// - Throws: `tooBig` for more than hosted limits allow; there is no such listen then.
    private mutating func begin(
        _ key: RealtimeConnection.ListenKey, for id: RealtimeConnectionID, _ asker: Asker
    ) throws(RealtimeRefusal) -> Node {
        let listener = RealtimeListener(id, tag: key.tag)
        let isNew = connections[id]?.listens.insert(key).inserted ?? false
        let shown = update(asker.namespace) { state in
            let shown =
                ListenPoint.isWhole(key.query, listener)
                ? state.root.node(at: key.path)
                : state.window(of: key.query, at: key.path, isHeld: true)
            if isNew { state.listens.update(at: key.path) { $0.insert(listener, for: key.query) } }
            return shown
        }
        guard isReadable(shown) else {
            end(key, of: id)
            throw .tooLarge
        }
        return shown
    }

    /// Whether hosted limits, if there are any, allow to read so much at once.
    private func isReadable(_ shown: Node) -> Bool {
        guard let hostedLimits else { return true }
        return NodeSize.estimate(shown) <= hostedLimits.readByteCountMax
    }

    /// The change that brings a client's copy up to date; `nil` if the copy is up to date.
    private static func firstPush(_ shown: Node, for listen: RealtimeListen) -> PushedChange? {
        // Most listens give nothing to compare: hashing a large tree would be for nothing.
        if !listen.hash.isEmpty || shown.isEmpty,
            utf8Equals(NodeHash.hash(of: shown), listen.hash)
        {
            return nil
        }
        let ranges = listen.ranges.map { RangeMerge.merges(from: $0, to: shown) } ?? []
        if !ranges.isEmpty { return .ranges(listen.path, ranges) }
        return .overwrite(WritePath(listen.path), shown)
    }

    /// Ends a listen, if there is such a listen.
    mutating func end(_ key: RealtimeConnection.ListenKey, of id: RealtimeConnectionID) {
        guard var connection = connections[id], connection.listens.remove(key) != nil else {
            return
        }
        connections[id] = connection
        let listener = RealtimeListener(id, tag: key.tag)
        update(connection.namespace) { $0.remove(listener, key) }
    }

    /// What a query finds now.
    mutating func get(
        _ path: RealtimePath, _ query: QueryParameters, _ asker: Asker, demandsIndex: Bool = false
    ) throws(RealtimeRefusal) -> Node {
        _ = try checkRead(path, query, asker, demandsIndex || !query.isComplete)
        let found = update(asker.namespace) { state in
            query.isComplete
                ? state.root.node(at: path) : state.window(of: query, at: path, isHeld: false)
        }
        guard isReadable(found) else { throw .tooLarge }
        return found
    }

    /// Refuses a read that the rules do not allow, or that lacks a demanded index.
    ///
    /// - Returns: Whether there is an index for the query.
    private mutating func checkRead(
        _ path: RealtimePath, _ query: QueryParameters, _ asker: Asker, _ demandsIndex: Bool
    ) throws(RealtimeRefusal) -> Bool {
        guard !path.isInfo else {
            throw RealtimeRefusal(.failed, "Invalid path: .info belongs to the client.")
        }
        guard update(asker.namespace, { $0.mayRead(path, query, asker) }) else { throw .denied }
        let hasIndex = state(asker.namespace).hasIndex(query.index, at: path)
        if demandsIndex, !hasIndex { throw .noIndex(query.index, at: path) }
        return hasIndex
    }
}

extension NamespaceState {
    /// What a query shows of a place.
    fileprivate mutating func window(
        of query: QueryParameters, at path: RealtimePath, isHeld: Bool
    ) -> Node {
        QueryWindow(query, children(at: path, by: query.index, isHeld: isHeld)).node
    }

    /// Takes a listener out.
    mutating func remove(_ listener: RealtimeListener, _ key: RealtimeConnection.ListenKey) {
        listens.update(at: key.path) { $0.remove(listener, for: key.query) }
        if !ListenPoint.isWhole(key.query, listener) {
            release(OrderKey(path: key.path, index: key.query.index))
        }
    }
}

extension QueryIndex {
    /// The index's name as rules declare an index.
    var declaredName: String {
        switch self {
        case .key: ".key"
        case .priority: ".priority"
        case .value: ".value"
        case .child(let path): path.bareText
        }
    }
}

extension RealtimeRefusal {
    /// A query has no index. Clients show this text, and people look for it.
    static func noIndex(_ index: QueryIndex, at path: RealtimePath) -> RealtimeRefusal {
        RealtimeRefusal(
            .failed,
            #"Index not defined, add ".indexOn": "\#(index.declaredName)", "#
                + #"for path "\#(path)", to the rules"#
        )
    }
}
