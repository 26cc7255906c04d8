package import HearthModel

/// Which places a pending write names: enough to find the write among all.
package struct WriteName: Hashable, Sendable {
    /// The write's number.
    package let id: WriteID
    /// Where the write was made.
    package let path: RealtimePath
    /// The places, seen from `path`; of a set there is one.
    package let places: [WritePath]
    /// Whether it is an update of several places.
    package let isMerge: Bool

    /// Names a write.
    ///
    /// - Parameters:
    ///   - id: The write's number.
    ///   - path: Where the write was made.
    ///   - places: The places, seen from `path`; of a set there is one.
    ///   - isMerge: Whether the write is an update of several places.
    package init(
        _ id: WriteID, at path: RealtimePath, naming places: [WritePath], isMerge: Bool
    ) {
        self.id = id
        self.path = path
        self.places = places
        self.isMerge = isMerge
    }

    /// Names the set of one place.
    package init(_ id: WriteID, set place: WritePath) {
        self.init(
            id, at: place.path, naming: [WritePath(.root, isPriority: place.isPriority)],
            isMerge: false)
    }
}
