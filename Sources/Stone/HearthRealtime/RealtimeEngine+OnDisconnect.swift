import HearthEngine
import HearthModel

/// What happens when a program or its machine is gone.
extension RealtimeEngine {
    /// Whether an order waits for the backend, or stands there only while the connection stands.
    var onDisconnectsNeedBackend: Bool { false }

    /// A session orders what happens when it is gone.
    mutating func orderOnDisconnect(
        _ id: RequestID, _ order: OnDisconnectOrder, _ scope: OnDisconnectScope, _ writer: Writer,
        _ turn: inout Turn
    ) throws(StoreError) {
        let error = HearthError(
            code: .unimplemented,
            message: "Orders for a disconnection from the Realtime Database come later.")
        turn.actions.append(.refuse(id, error))
    }

    /// A session is gone: what it ordered is done.
    mutating func carryOutOrders(ofSession session: UInt64, _ turn: inout Turn)
        throws(StoreError)
    {}

    /// The connection has opened; listens and writes are on their way.
    mutating func onDisconnectLinkOpened(_ turn: inout Turn) throws(StoreError) {}

    /// The connection is gone: the backend does what was ordered.
    ///
    /// The store may not be at hand.
    mutating func onDisconnectLinkClosed(_ turn: inout Turn) throws(StoreError) {}
}
