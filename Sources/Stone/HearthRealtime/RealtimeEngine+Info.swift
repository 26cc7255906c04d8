import HearthEngine
import HearthModel

/// What the engine tells of itself, below `.info`.
extension RealtimeEngine {
    /// A session listens to a place below `.info`.
    mutating func listenToInfo(_ id: ListenerID, _ target: ListenTarget, _ effects: inout Effects) {
        // A resent request has its view.
        if let news = info.listen(target, id) { tell([news], &effects) }
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
    mutating func infoLinkOpened(_ effects: inout Effects) {
        tell(info.linkOpened(serverTimeOffset: serverTimeOffset), &effects)
    }

    /// The connection is gone.
    mutating func infoLinkClosed(_ effects: inout Effects) {
        tell(info.linkClosed(), &effects)
    }

    private func tell(_ news: [InfoTree.News], _ effects: inout Effects) {
        effects.actions += news.map { .tell($0.news, to: $0.listeners) }
    }
}
