import HashTreeCollections
package import HearthModel

/// Writing, now and when a connection ends.
extension RealtimeBackend {
    /// Makes a write, and tells all who listen.
    ///
    /// - Parameter hash: The V1 hash of the content that must be at the place; `nil` for no
    ///   condition.
    /// - Returns: The change that the write made.
    /// - Throws: `RealtimeRefusal` if the rules or the condition refuse the write; nothing is
    ///   changed then.
    @discardableResult
    mutating func commit(
        _ write: RealtimeWrite, ifHash hash: String?, _ asker: Asker
    ) throws(RealtimeRefusal) -> TreeChange {
        let change = try write.applied(to: root(of: asker.namespace), at: asker.now)
        guard update(asker.namespace, { $0.mayMake(change, asker) }) else { throw .denied }
        if let hash, let place = change.places.first {
            let current = NodeHash.hash(of: change.before.node(at: place))
            guard utf8Equals(current, hash) else { throw .stale }
        }
        try checkRate(of: change, asker)
        make(change, in: asker.namespace)
        return change
    }

    private mutating func checkRate(
        of change: TreeChange, _ asker: Asker
    ) throws(RealtimeRefusal) {
        guard let hostedLimits else { return }
        let byteCount = change.children.reduce(0) { $0 + NodeSize.estimate($1.node) }
        let isAllowed = update(asker.namespace) { state in
            state.writeRate.take(byteCount, at: asker.now, hostedLimits)
        }
        guard isAllowed else { throw .tooFast }
    }

    /// Takes a write to be made when the connection ends. It is judged now, and again then.
    mutating func leave(
        _ write: RealtimeWrite, by id: RealtimeConnectionID, _ asker: Asker
    ) throws(RealtimeRefusal) {
        let change = try write.applied(to: root(of: asker.namespace), at: asker.now)
        guard update(asker.namespace, { $0.mayMake(change, asker) }) else { throw .denied }
        let count = (connections[id]?.disconnectWrites.placeCount ?? 0) + write.parts.count
        let countMax = RealtimeLimits.disconnectWriteCountMax
        guard count <= countMax else {
            throw RealtimeRefusal(
                .tooBig,
                "A connection may leave \(countMax) writes for its end."
            )
        }
        connections[id]?.disconnectWrites.append(write)
    }

    /// Ends a connection: removes its listens, then makes the writes left for the end.
    ///
    /// The rules judge each of these writes in turn, and a refused write is left out. Listeners are
    /// told the rest as one change.
    package mutating func disconnect(_ id: RealtimeConnectionID, at now: Timestamp) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        let namespace = connection.namespace
        update(namespace) { state in
            for key in connection.listens {
                state.remove(RealtimeListener(id, tag: key.tag), key)
            }
        }
        let asker = Asker(
            namespace: namespace, caller: connection.caller, now: now.milliseconds)
        if let change = lastChange(connection.disconnectWrites.writes, asker) {
            make(change, in: namespace)
        }
    }

    private mutating func lastChange(
        _ writes: [RealtimeWrite], _ asker: Asker
    ) -> TreeChange? {
        var root = root(of: asker.namespace)
        var changes: [TreeChange] = []
        for write in writes {
            guard let change = try? write.applied(to: root, at: asker.now),
                update(asker.namespace, { $0.mayMake(change, asker) })
            else { continue }
            changes.append(change)
            root = change.after
        }
        return TreeChange(joining: changes)
    }

    private mutating func make(_ change: TreeChange, in namespace: RealtimeNamespace) {
        guard change.isAny else { return }
        let fanOut = update(namespace) { state in
            let fanOut = FanOut(change, in: state.listens)
            state.root = change.after
            state.take(fanOut.kept)
            state.examinedCount += fanOut.examinedCount
            return fanOut
        }
        for (place, node) in change.saved { effect(.save(namespace, .node(place, node))) }
        for (change, listeners) in fanOut.pushes { effect(.push(change, to: listeners)) }
    }
}

extension TreeChange {
    /// Changes made one after another, as one; `nil` if there are none.
    init?(joining changes: [TreeChange]) {
        guard let first = changes.first, let last = changes.last else { return nil }
        guard changes.count > 1 else {
            self = first
            return
        }
        let places = changes.flatMap(\.places).sorted { WritePath.compare($0, $1) < 0 }
        let joined = TreeChange(
            before: first.before, after: last.after, base: Self.common(places.map(\.path)),
            isMerge: true, writing: places)
        if joined.places.count == 1 {
            let base = joined.places[0].path
            self.init(
                before: first.before, after: last.after, base: base, isMerge: false,
                writing: joined.places)
        } else if joined.isWhole {
            self = joined
        } else {
            // A node that went and came again in between has lost its priority: only the whole
            // tells that.
            self.init(
                before: first.before, after: last.after, base: joined.base, isMerge: false,
                writing: [WritePath(joined.base)])
        }
    }

    /// Whether writing the places one after another leads from `before` to `after`.
    private var isWhole: Bool {
        let result = places.reduce(before) { node, place in
            node.setting(place, to: after.node(at: place))
        }
        return result == after
    }

    private static func common(_ paths: [RealtimePath]) -> RealtimePath {
        guard let first = paths.first else { return .root }
        let depth = paths.reduce(first.depth) { depth, path in
            min(depth, zip(first.keys, path.keys).prefix { $0 == $1 }.count)
        }
        return RealtimePath(first.keys.prefix(depth))
    }
}
