package import HearthModel

/// What a program orders about the places that an instance keeps in step for good. Answered by
/// `Event.keptPlaces`.
package enum KeepOrder: Hashable, Sendable {
    /// Tells what is kept.
    case tell
    /// Keeps a place with all below, or what a query shows of its children, over restarts, until the
    /// order is taken back.
    case keep(ListenTarget)
    /// Takes back the orders of the program's Unix user for a place or a query; of an administrator,
    /// all orders for it.
    case release(ListenTarget)
}

/// A place of an instance that is kept in step although nobody may listen, whole or as a query shows it.
package struct KeptPlace: Hashable, Sendable {
    /// The place, and the query.
    package var target: ListenTarget
    /// The Unix user who ordered it; `nil` if the configuration does.
    package var uid: UInt32?
    /// Whether the access rules let the user read the place. If not, the order rests.
    package var isAllowed: Bool

    /// Describes a place.
    ///
    /// - Parameters:
    ///   - target: The place, and the query.
    ///   - uid: The Unix user who ordered the place; `nil` if the configuration does.
    ///   - isAllowed: Whether the access rules let the user read the place. If not, the order
    ///     rests.
    package init(_ target: ListenTarget, uid: UInt32?, isAllowed: Bool) {
        self.target = target
        self.uid = uid
        self.isAllowed = isAllowed
    }
}
