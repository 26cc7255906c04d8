import HashTreeCollections
package import HearthEngine
package import HearthModel

/// One group of turns on a `RealtimeMemoryStore`: the state as the turns so far have left it.
package final class RealtimeMemoryTransaction: RealtimeTransaction {
    var state = RealtimeMemoryState()
    var failing: Set<RealtimeStep> = []

    init() {}

    package func enter(_ step: RealtimeStep) throws(StoreError) {
        if failing.contains(step) { throw .injected(step) }
    }

    package func removeAll() throws(StoreError) {
        var empty = RealtimeMemoryState()
        empty.globals = state.globals
        for (client, memory) in state.clients where memory.forgottenBelow > 0 {
            empty.clients[client] = .init(forgottenBelow: memory.forgottenBelow)
        }
        state = empty
    }

    package func globals() throws(StoreError) -> RealtimeGlobals { state.globals }

    package func setGlobals(_ globals: RealtimeGlobals) throws(StoreError) {
        state.globals = globals
    }

    // MARK: The server's tree

    package func serverNode(at path: RealtimePath) throws(StoreError) -> Node {
        state.server.node(at: path)
    }

    package func serverNode(
        at path: RealtimePath, children keys: [ChildKey]
    ) throws(StoreError) -> Node {
        let node = state.server.node(at: path)
        return Node(children: keys.map { (key: $0, node: node.child($0)) })
    }

    /// Here each child is a part.
    package func serverBeginning(
        at path: RealtimePath, partCount: Int, ifMoreThan countMin: Int
    ) throws(StoreError) -> Node? {
        let node = state.server.node(at: path)
        guard node.childCount > countMin else { return nil }
        return Node(children: node.children.prefix(partCount), priority: node.priority)
    }

    package func setServerNode(_ node: Node, at place: WritePath) throws(StoreError) {
        state.setServer(node, at: place)
        state.forgetHashes(touching: place.path)
    }

    package func pruneServerNode(
        at path: RealtimePath, except kept: [RealtimePath]
    ) throws(StoreError) {
        let old = state.server.node(at: path)
        let rest = kept.compactMap(path.relative).reduce(Node.empty) { rest, place in
            let node = old.node(at: place)
            return node.isEmpty ? rest : rest.setting(place, to: node)
        }
        state.setServer(rest, at: WritePath(path))
        state.forgetHashes(touching: path, except: kept)
    }

    package func pruneServerNode(
        at path: RealtimePath, except kept: [RealtimePath], within room: inout PruneRoom
    ) throws(StoreError) -> Bool {
        let node = state.server.node(at: path)
        let stays = Set(kept.compactMap(path.relative))
        var leaves: [RealtimePath] = []
        guard Self.collect(node, at: .root, except: stays, within: &room, into: &leaves) else {
            let rest = leaves.reduce(node) { $0.setting($1, to: .empty) }
            state.setServer(rest, at: WritePath(path))
            state.forgetHashes(touching: path, except: kept)
            return false
        }
        try pruneServerNode(at: path, except: kept)
        return true
    }

    /// Collects leaves that are not kept, in order, until there is no more room.
    ///
    /// - Returns: Whether all are collected.
    private static func collect(
        _ node: Node, at path: RealtimePath, except kept: Set<RealtimePath>,
        within room: inout PruneRoom, into leaves: inout [RealtimePath]
    ) -> Bool {
        if node.isEmpty || kept.contains(path) { return true }
        if node.isLeaf {
            if room.isUsedUp { return false }
            room.take(byteCount: NodeSize.estimate(node))
            leaves.append(path)
            return true
        }
        for child in node.children {
            let place = path.appending(child.key)
            guard collect(child.node, at: place, except: kept, within: &room, into: &leaves)
            else { return false }
        }
        return true
    }

    package func serverByteCount() throws(StoreError) -> Int { state.serverByteCount }
}

extension StoreError {
    /// The failure of a step that a test has made fail: as if the disk had refused it.
    package static func injected(_ step: RealtimeStep) -> StoreError {
        .io("the step \"\(step.rawValue)\" was made to fail")
    }
}
