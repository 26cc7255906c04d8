import HearthModel
import HearthWire

/// A query or a document that the daemon keeps in step with the backend though nobody listens.
public struct Pin: Hashable, Sendable {
    /// How the results stand to the backend's.
    public enum State: String, Hashable, Sendable {
        /// The results have never been complete.
        case waiting
        /// The pin is watched, and its results are the backend's.
        case inStep
        /// The results were complete, and are not older than the pin allows.
        case fresh
        /// The results were complete, and are older, or the backend is not there.
        case stale
        /// Nothing is kept; `error` tells why.
        case stopped
    }

    /// The name. A Unix user has one pin of a name in a database.
    public let name: String
    /// The Unix user who ordered it; `nil` if `pins.keep` of hearthd.toml names it.
    public let uid: UInt32?
    /// What is kept, in words for people: `rooms where lights > 0 order by lights`.
    public let query: String
    /// The name of a pin of the same query that nobody named.
    package let unnamed: String
    /// How old the results may be; `nil` for a pin that is watched all the time.
    public let freshness: Duration?
    /// How the results stand to the backend's.
    public let state: State
    /// When the results were complete last; `nil` if they never were.
    public let completedAt: Timestamp?
    /// About how many bytes the results have.
    public let byteCount: Int
    /// Why nothing is kept; `nil` if the pin is kept.
    public let error: FirestoreError?

    init(_ report: PinReport) {
        name = report.pin.id.name
        uid = report.pin.id.uid
        query = report.pin.query.words
        unnamed = Self.text(of: report.pin.query)
        freshness = report.pin.freshness
        state =
            switch report.state {
            case .waiting: .waiting
            case .inStep: .inStep
            case .fresh: .fresh
            case .stale: .stale
            case .stopped: .stopped
            }
        completedAt = report.completedAt.map { Timestamp($0) }
        byteCount = report.byteCount
        error = report.error.map { FirestoreError($0) }
    }

    /// The name of a pin that nobody named: the query's path alone, if it asks for all there is, else the
    /// form that queries are compared by.
    static func text(of query: HearthModel.Query) -> String {
        query.group == nil && query.matchesAllDocuments || query.documentKey != nil
            ? query.path.string : query.canonicalID
    }
}

extension Firestore {
    /// The pins of this program's Unix user, and the pins of the configuration that the user may
    /// read; for administrators all pins.
    ///
    /// - Returns: The configuration's pins first, then the users' in the order of uids, each user's by
    ///   name.
    /// - Throws: `FirestoreError`: `unavailable` if no daemon answers.
    public func pins() async throws -> [Pin] {
        let event = try await request(.firestore(.pin(.list)))
        guard case .pins(let reports, _) = event else { throw Self.unexpected(event) }
        return reports.map(Pin.init)
    }

    /// Ends a pin: the daemon no longer keeps its results in step, and the cache may lose them.
    ///
    /// - Parameters:
    ///   - name: The pin's name.
    ///   - uid: Another Unix user whose pin is meant, which only administrators may end.
    /// - Throws: `FirestoreError`: `notFound` if there is no such pin, `permissionDenied` if it is
    ///   another user's, `unavailable` if no daemon answers.
    public func unpin(_ name: String, uid: UInt32? = nil) async throws {
        try await order(.end(name: name, uid: uid))
    }

    /// Waits until the results of a pin have been complete, and are as fresh as the pin wants.
    ///
    /// The results count that an earlier life of the daemon got. A pin of another user may be waited
    /// for by whoever may read it.
    ///
    /// - Parameters:
    ///   - name: The pin's name.
    ///   - uid: The Unix user whose pin is meant; `nil` for one's own, else the configuration's, else
    ///     any.
    /// - Throws: `FirestoreError`: `notFound` if there is no such pin or it ends, and the reason if
    ///   the pin is stopped.
    public func waitForPin(_ name: String, uid: UInt32? = nil) async throws {
        try await order(.wait(name: name, uid: uid))
    }

    fileprivate func order(_ order: PinOrder) async throws {
        let event = try await request(.firestore(.pin(order)))
        guard case .done = event else { throw Self.unexpected(event) }
    }

    fileprivate func pin(
        _ query: HearthModel.Query, _ name: String?, _ freshness: Duration?
    ) async throws -> String {
        let name = name ?? Pin.text(of: query)
        try await order(.keep(query, name: name, freshness: freshness))
        return name
    }
}

extension Query {
    /// The name of a pin of the query that nobody named.
    package var pinName: String { Pin.text(of: model) }

    /// Has the daemon keep the results in step with the backend though nobody listens, also when this
    /// program has ended and the daemon was restarted.
    ///
    /// The results are on this machine while the machine is offline, and the daemon never collects
    /// the results. The pin belongs to the program's Unix user, and ends when the daemon's access
    /// rules no longer let this user read the query. A pin of the same name gives way.
    ///
    /// - Parameters:
    ///   - name: What the pin is called; `nil` for the query's path with its conditions.
    ///   - freshness: How old the results may be. The daemon refreshes older results, and need not
    ///     watch the query. `nil` for results that the daemon watches all the time.
    /// - Returns: The pin's name.
    /// - Throws: `FirestoreError`: `permissionDenied` if the user may not read the query,
    ///   `resourceExhausted` if the user has too many pins or their results too many bytes,
    ///   `invalidArgument` for a query that cannot be, `unavailable` if no daemon answers.
    @discardableResult
    public func pin(name: String? = nil, fresh freshness: Duration? = nil) async throws -> String {
        if let fault { throw fault }
        return try await firestore.pin(model, name, freshness)
    }
}

extension DocumentReference {
    /// Has the daemon keep the document in step with the backend though nobody listens; see
    /// `Query.pin` for the parameters and the errors.
    ///
    /// - Returns: The pin's name; the document's path if `name` is `nil`.
    /// - Throws: `FirestoreError` as `Query.pin`.
    @discardableResult
    public func pin(name: String? = nil, fresh freshness: Duration? = nil) async throws -> String {
        try await firestore.pin(HearthModel.Query(document: key), name, freshness)
    }
}
