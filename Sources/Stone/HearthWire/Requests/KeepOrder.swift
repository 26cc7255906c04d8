package import HearthModel

/// What a program orders about the places that an instance keeps in step for good. Answered by
/// `Event.keptPlaces`.
package enum KeepOrder: Hashable, Sendable {
    /// Tells what is kept.
    case tell
    /// Keeps a place with all below, over restarts, until the order is taken back.
    case keep(RealtimePath)
    /// Takes back the orders of the program's Unix user for a place; of an administrator, all
    /// orders for the place.
    case release(RealtimePath)
}

/// A place of an instance that is kept in step although nobody may listen.
package struct KeptPlace: Hashable, Sendable {
    /// The place.
    package var path: RealtimePath
    /// The Unix user who ordered it; `nil` if the configuration does.
    package var uid: UInt32?
    /// Whether the access rules let the user read the place. If not, the order rests.
    package var isAllowed: Bool

    /// Describes a place.
    package init(path: RealtimePath, uid: UInt32?, isAllowed: Bool) {
        self.path = path
        self.uid = uid
        self.isAllowed = isAllowed
    }
}
