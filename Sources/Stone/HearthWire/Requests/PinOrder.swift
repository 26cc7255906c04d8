package import HearthModel

/// What a program orders about the queries that the daemon keeps in step for good.
package enum PinOrder: Hashable, Sendable {
    /// Tells the pins: one's own, and for administrators all. Answered by `Event.pins`.
    case list
    /// Keeps a query, over restarts, until the order is taken back. Answered by `Event.done`.
    case keep(Query, name: String, freshness: Duration?)
    /// Ends a pin; `uid` names another user's. Answered by `Event.done`.
    case end(name: String, uid: UInt32?)
    /// Waits until a pin is complete and fresh; `uid` names another user's. Answered by
    /// `Event.done`.
    case wait(name: String, uid: UInt32?)
}

extension PinOrder {
    /// The order's needs and contents.
    var traits: RequestTraits {
        switch self {
        case .list, .end, .wait: RequestTraits(.open)
        case .keep(let query, _, _): RequestTraits(.contents, contents: .query(query))
        }
    }
}
