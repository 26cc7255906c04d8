package import HearthEngine
package import HearthModel

/// What the tree of orders tells.
extension OnDisconnectTree {
    /// What a session is told.
    package enum Reply: Hashable, Sendable {
        /// The backend has the order, or has forgotten what was canceled.
        case complete(RequestID)
        /// The order was refused, and nothing will happen.
        case refuse(RequestID, HearthError)
    }

    /// The write of a program that has ended.
    package struct Farewell: Hashable, Sendable {
        /// The order.
        package let number: Number
        /// What to write.
        package let change: RealtimeChange
        /// Who ordered it.
        package let writer: Writer
        /// The Firebase user of the order; the write belongs in that user's queue.
        package let user: UserID
        /// Whether the backend makes the write too when the connection ends.
        ///
        /// If the connection ends before the backend answers the write, the write must be dropped:
        /// sent later, the write could replace newer news.
        package let endsWithLink: Bool
    }

    /// What is left when the connection has ended.
    package struct Remains: Sendable {
        /// What the backend has written, or will, in this order.
        package var changes: [RealtimeChange] = []
        /// Writes of ended programs that must not be sent any more.
        package var dropped: [BatchID] = []
        /// What sessions are told.
        package var replies: [Reply] = []
    }
}
