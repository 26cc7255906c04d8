package import HashTreeCollections
package import HearthEngine
package import HearthModel

/// What a client tells its programs about itself: `.info/connected` and `.info/serverTimeOffset`.
///
/// Both are of the connection that all programs share. Until the backend has said hello once, the
/// offset is not known, and its listeners hear of no value.
package struct InfoTree: Sendable {
    /// The news of one query, and the listeners who hear them.
    package typealias News = (news: ViewNews, listeners: [ListenerID])

    private static let connected: RealtimePath = ".info/connected"
    private static let offset: RealtimePath = ".info/serverTimeOffset"

    private var root = Node.empty.setting(Self.connected, to: Node(false))
    private var listeners: [ListenTarget: [ListenerID]] = [:]
    private var targets: [ListenerID: ListenTarget] = [:]
    /// How many listeners each session has here.
    private var sessions: [UInt64: Int] = [:]

    /// A client that is not connected.
    package init() {}

    /// Whether any session listens at or below `.info`, except sessions that keep themselves
    /// offline. O(`withheld`).
    package func isListenedTo(except withheld: TreeSet<UInt64>) -> Bool {
        sessions.count > withheld.count || sessions.keys.contains { !withheld.contains($0) }
    }

    /// What is told at a place. Empty where nothing is known.
    package func node(at target: ListenTarget) -> Node {
        let node = IndexedNode(root.node(at: target.path), by: target.query.index)
        return NodeFilter(target.query).view(of: node).node
    }

    /// Somebody listens at or below `.info`.
    ///
    /// - Returns: `nil` if the listener is known already.
    package mutating func listen(_ target: ListenTarget, _ id: ListenerID) -> News? {
        guard targets[id] == nil else { return nil }
        listeners[target, default: []].append(id)
        targets[id] = target
        sessions[id.session, default: 0] += 1
        return (news(of: target, node(at: target)), [id])
    }

    /// Somebody listens no more.
    ///
    /// - Returns: Whether the listener was one of `.info`.
    package mutating func unlisten(_ id: ListenerID) -> Bool {
        guard let target = targets.removeValue(forKey: id) else { return false }
        listeners[target]?.removeAll { $0 == id }
        if listeners[target]?.isEmpty == true { listeners[target] = nil }
        sessions[id.session, default: 0] -= 1
        if sessions[id.session] == 0 { sessions[id.session] = nil }
        return true
    }

    /// A session is gone.
    package mutating func unlisten(session: UInt64) {
        for id in targets.keys where id.session == session { _ = unlisten(id) }
    }

    /// The backend has said hello.
    ///
    /// - Parameter serverTimeOffset: The backend's clock less ours, in milliseconds.
    package mutating func linkOpened(serverTimeOffset: Int64) -> [News] {
        let known = root.setting(Self.offset, to: Node(.integer(serverTimeOffset)))
        return show(known.setting(Self.connected, to: Node(true)))
    }

    /// The connection has ended. The offset stays as it was.
    package mutating func linkClosed() -> [News] {
        show(root.setting(Self.connected, to: Node(false)))
    }

    private mutating func show(_ new: Node) -> [News] {
        let old = self
        root = new
        return listeners.sorted { Self.precedes($0.value, $1.value) }.compactMap { target, ids in
            let shown = node(at: target)
            return shown == old.node(at: target) ? nil : (news(of: target, shown), ids)
        }
    }

    /// Listeners are told in the order of coming.
    private static func precedes(_ lhs: [ListenerID], _ rhs: [ListenerID]) -> Bool {
        lhs.lexicographicallyPrecedes(rhs)
    }

    private func news(of target: ListenTarget, _ node: Node) -> ViewNews {
        let isKnown = !node.isEmpty
        return ViewNews(target, .whole(node), isComplete: isKnown, isValueTold: isKnown)
    }
}
