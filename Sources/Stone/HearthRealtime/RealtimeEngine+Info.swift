import HearthEngine
import HearthModel

/// What the engine tells of itself, below `.info`.
extension RealtimeEngine {
    /// A session listens to a place below `.info`.
    mutating func listenToInfo(
        _ id: ListenerID, _ target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) {
        turn.actions.append(
            .tell(
                ViewNews(target, .whole(infoNode(at: target.path)), isComplete: true,
                    isValueTold: true), to: [id]))
    }

    /// A session listens to a place below `.info` no more.
    ///
    /// - Returns: Whether the session did.
    mutating func unlistenToInfo(_ id: ListenerID) -> Bool { false }

    /// A session is gone.
    mutating func unlistenToInfo(session: UInt64) {}

    /// What stands at a place below `.info` now.
    func infoNode(at path: RealtimePath) -> Node { .empty }

    /// The connection has opened, and the service's clock is known.
    mutating func infoLinkOpened(_ turn: inout Turn) throws(StoreError) {}

    /// The connection is gone. The store may not be at hand.
    mutating func infoLinkClosed(_ turn: inout Turn) throws(StoreError) {}
}
