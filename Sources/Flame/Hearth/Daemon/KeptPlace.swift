import HearthModel
import HearthWire

/// A place of an instance that the daemon keeps in step with the backend for good.
public struct KeptPlace: Hashable, Sendable {
    /// The path from the root.
    public let path: String
    /// The Unix user who ordered it; `nil` if `realtime.keep` of hearthd.toml names the place.
    public let uid: UInt32?
    /// Whether the daemon's access rules let that user read the place. If not, the order rests.
    public let isAllowed: Bool

    init(_ place: HearthWire.KeptPlace) {
        path = place.path.description
        uid = place.uid
        isAllowed = place.isAllowed
    }
}

extension Database {
    /// The places that the daemon keeps in step for good, as far as this user may read them or has
    /// ordered them, in the order of paths.
    ///
    /// - Throws: `DatabaseError`: `unavailable` if no daemon answers.
    public func keptPlaces() async throws -> [KeptPlace] {
        try await order(.tell)
    }

    @discardableResult
    fileprivate func order(_ order: KeepOrder) async throws -> [KeptPlace] {
        let event = try await request(.keep(order))
        guard case .keptPlaces(let places, _) = event else { throw Self.unexpected(event) }
        return places.map(KeptPlace.init)
    }
}

extension DatabaseReference {
    /// Has the daemon keep this place with all below in step with the backend for good, also when
    /// this program has ended and the daemon was restarted; or takes that order back.
    ///
    /// The place is on this machine even when the machine is offline, and is never collected. The
    /// order counts for the program's Unix user, and rests while the daemon's access rules do not
    /// let this user read the place. See `keepSynced` for a wish that ends with the program.
    ///
    /// - Throws: `DatabaseError`: `unavailable` if no daemon answers, `permissionDenied` if the user
    ///   may not read all of the place, `resourceExhausted` if the user keeps too many places.
    public func keepForGood(_ isKept: Bool) async throws {
        try await database.order(isKept ? .keep(path) : .release(path))
    }
}
