import HearthBackend
import HearthModel
import HearthProtocol

/// Who asks, and where the log notes what becomes of the request.
struct NotedCaller: Sendable {
    /// A server, whose requests nobody notes.
    static let admin = NotedCaller(.admin)

    /// Whom the rules judge.
    let caller: Caller
    /// Where requests are noted; `nil` if nobody wants to see them.
    let log: RequestLog?
    /// The request on its way, if it is noted.
    private(set) var record: RequestRecord?

    /// Somebody who has not asked yet.
    init(_ caller: Caller, log: RequestLog? = nil) {
        self.caller = caller
        self.log = log
    }

    /// The same caller with a request, which is noted if there is a log.
    func asking(_ method: FirestoreMethod, at now: Timestamp) -> NotedCaller {
        guard let log else { return self }
        var asking = self
        asking.record = log.begin(method.rawValue, by: caller, at: now)
        return asking
    }

    /// Refuses everybody but the admin; see `Caller.require`.
    func require(_ privilege: Caller.Privilege) throws(HearthError) {
        try caller.require(privilege)
    }
}
