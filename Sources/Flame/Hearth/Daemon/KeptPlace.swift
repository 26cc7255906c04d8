import HearthModel
import HearthProtocol
import HearthWire

/// A place of an instance, or what a query shows of its children, that the daemon keeps in step with the
/// backend for good.
public struct KeptPlace: Hashable, Sendable {
    /// The path from the root.
    public let path: String
    /// Which of its children are kept, as JSON of the Realtime Database's own protocol; `nil` for the
    /// place with all below.
    public let query: String?
    /// The Unix user who ordered it; `nil` if `realtime.keep` of hearthd.toml names the place.
    public let uid: UInt32?
    /// Whether the daemon's access rules let that user read the place. If not, the order rests.
    public let isAllowed: Bool

    init(_ place: HearthWire.KeptPlace) {
        path = place.target.path.description
        let object = place.target.query.isDefault ? nil : QueryObject.encode(place.target.query)
        query = object.map { String(decoding: JSONWriter.bytes(of: $0), as: UTF8.self) }
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
        try await order(.tell).map(KeptPlace.init)
    }

    @discardableResult
    fileprivate func order(_ order: KeepOrder) async throws -> [HearthWire.KeptPlace] {
        let event = try await request(.keep(order))
        guard case .keptPlaces(let places, _) = event else { throw Self.unexpected(event) }
        return places
    }
}

extension DatabaseQuery {
    /// Has the daemon keep what the query shows in step with the backend for good, also when this
    /// program has ended and the daemon was restarted; or takes that order back.
    ///
    /// The data is on this machine even when the machine is offline, and is never collected. Of a place
    /// (`DatabaseReference`), that is all below. The order counts for the program's Unix user, and rests
    /// while the daemon's access rules do not let this user read the place. See `keepSynced` for a wish
    /// that ends with the program.
    ///
    /// - Throws: `DatabaseError`: `unavailable` if no daemon answers, `permissionDenied` if the user
    ///   may not read all of the place, `resourceExhausted` if the user keeps too many places, and the
    ///   first mistake of the query.
    public func keepForGood(_ isKept: Bool) async throws {
        let target = try validated()
        try await database.order(isKept ? .keep(target) : .release(target))
    }

    /// Takes the order of `keepForGood` back; of an administrator, all users' orders for it.
    ///
    /// Two requests: another program's order between them is counted too.
    ///
    /// - Returns: Whether there was such an order.
    /// - Throws: `DatabaseError` as `keepForGood`.
    package func releaseForGood() async throws -> Bool {
        let target = try validated()
        // A query that shows the whole place keeps the place, in whatever order.
        let kept = target.query.isComplete ? ListenTarget(target.path, .all) : target
        let before = try await database.order(.tell).count(where: { $0.target == kept })
        let after = try await database.order(.release(target))
            .count(where: { $0.target == kept })
        return after < before
    }
}
