package import HearthModel

/// How far a walk over the documents of no target has come, the least used first.
package struct CollectionPlace: Hashable, Sendable {
    /// When the last document seen was used.
    package var used = ListenSequenceNumber.min
    /// Which document of that time was the last seen, as the store counts documents.
    package var row: Int64 = 0
    /// Whether none is left.
    package var isAtEnd = false

    /// The beginning.
    package init() {}

    /// The same place, behind which there may be more again.
    var goingOn: CollectionPlace {
        var place = self
        place.isAtEnd = false
        return place
    }
}
