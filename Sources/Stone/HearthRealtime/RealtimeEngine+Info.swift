import HearthEngine
import HearthModel

/// What the engine tells of itself, below `.info`.
extension RealtimeEngine {
    /// A session listens to a place below `.info`.
    mutating func listenToInfo(_ id: ListenerID, _ target: ListenTarget, _ turn: inout Turn) {
        // A resent request has its view.
        if let news = info.listen(target, id) { tell([news], &turn) }
    }

    /// A session listens to a place below `.info` no more.
    ///
    /// - Returns: Whether the session did.
    mutating func unlistenToInfo(_ id: ListenerID) -> Bool { info.unlisten(id) }

    /// A session is gone.
    mutating func unlistenToInfo(session: UInt64) { info.unlisten(session: session) }

    /// What stands at a place below `.info` now.
    func infoNode(at path: RealtimePath) -> Node { info.node(at: ListenTarget(path, .all)) }

    /// The connection has opened, and the service's clock is known.
    mutating func infoLinkOpened(_ turn: inout Turn) {
        tell(info.linkOpened(serverTimeOffset: serverTimeOffset), &turn)
    }

    /// The connection is gone.
    mutating func infoLinkClosed(_ turn: inout Turn) {
        tell(info.linkClosed(), &turn)
    }

    private func tell(_ news: [InfoTree.News], _ turn: inout Turn) {
        turn.actions += news.map { .tell($0.news, to: $0.listeners) }
    }
}
