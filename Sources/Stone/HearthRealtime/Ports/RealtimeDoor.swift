package import HearthModel

/// Asks an engine's backend what the engine has no word for, under the daemon's identity.
///
/// What goes through the door changes neither the engine nor its cache.
package protocol RealtimeDoor: Sendable {
    /// The children of a place in the order of keys, without what lies below them.
    ///
    /// - Parameters:
    ///   - after: The key behind which the list begins; `nil` for the first key.
    ///   - countMax: How many children at most, 1 or more.
    /// - Throws: `unavailable` if the backend does not answer, `permissionDenied` if the rules do not let the
    ///   daemon read the place, `unauthenticated` if the backend does not believe who the daemon is.
    /// - Complexity: The backend sends the keys alone.
    func children(
        of path: RealtimePath, after: ChildKey?, countMax: Int
    ) async throws(HearthError) -> [ListedChild]
}

/// A child that a backend lists.
package struct ListedChild: Hashable, Sendable {
    /// The child's key.
    package let key: ChildKey
    /// Whether there may be children below the child: a list of keys alone does not tell.
    package let mayHaveChildren: Bool

    /// Joins the parts.
    package init(key: ChildKey, mayHaveChildren: Bool) {
        self.key = key
        self.mayHaveChildren = mayHaveChildren
    }
}

/// The door of an engine without a backend: every question fails at once.
package struct ClosedRealtimeDoor: RealtimeDoor {
    private let error: HearthError

    /// Takes the reason why there is no backend.
    package init(_ error: HearthError) { self.error = error }

    package func children(
        of path: RealtimePath, after: ChildKey?, countMax: Int
    ) async throws(HearthError) -> [ListedChild] {
        throw error
    }
}
