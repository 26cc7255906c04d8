import HearthBackend
import HearthModel

/// Requests to the Realtime Database in the log of requests.
extension RealtimeHostState {
    /// A request that the log notes, with the request's tree.
    struct Noted: Sendable {
        let record: RequestRecord
        let namespace: RealtimeNamespace
    }

    /// Begins to note what a connection asks for; `nil` without a log, and for a request about the
    /// connection itself.
    func noted(
        _ method: RealtimeMethod?, at place: RealtimePath?, from id: RealtimeConnectionID,
        _ now: Timestamp, in log: RequestLog?
    ) -> Noted? {
        guard let log, let method, let place, let party = backend.party(of: id) else { return nil }
        let record = log.begin(method.rawValue, by: party.caller, at: now)
        record.concerns(party.namespace, place.description)
        return Noted(record: record, namespace: party.namespace)
    }

    /// Has the backend do what a request asks for, and notes what the rules said.
    ///
    /// The request ends where its answer leaves: see `Noted.end`.
    mutating func judged<Answer>(
        _ noted: Noted?, _ body: (inout RealtimeBackend) -> Answer
    ) -> Answer {
        guard let noted else { return body(&backend) }
        _ = backend.takeVerdicts(of: noted.namespace)  // Of requests that nobody notes.
        let answer = body(&backend)
        noted.record.judged(backend.takeVerdicts(of: noted.namespace))
        return answer
    }
}

extension RealtimeHostState.Noted {
    /// What must be done once the turn is on the disk, or lost, so that the log tells how a request of
    /// a connection was answered.
    func end(_ answer: RealtimeBackend.Answer) -> RealtimeHostState.Delivery {
        let record = record
        var refusal: HearthError?
        if case .refused(let reason) = answer { refusal = HearthError(reason) }
        return .reply { [refusal] failure in record.end(failure ?? refusal) }
    }

    /// Notes how a call of REST was answered.
    ///
    /// - Parameter failure: Why the answer did not get to the disk, if so.
    func end(_ reply: RealtimeReply, _ failure: HearthError?) {
        record.end(failure ?? reply.refusal)
    }
}

extension RealtimeHostState.Noted {
    /// Begins to note a call of REST; `nil` without a log.
    init?(
        _ call: RealtimeCall, of namespace: RealtimeNamespace, by caller: RealtimeCaller,
        _ now: Timestamp, in log: RequestLog?
    ) {
        guard let log else { return nil }
        record = log.begin(RealtimeMethod(call.verb).rawValue, by: caller, at: now)
        record.concerns(namespace, call.place.path.description)
        self.namespace = namespace
    }
}

extension RealtimeAction {
    /// Where a request reads or writes; `nil` for a request about the connection itself.
    var place: RealtimePath? {
        switch self {
        case .listen(let listen): listen.path
        case .get(let path, _), .merge(let path, _), .onDisconnectMerge(let path, _): path
        case .put(let place, _, _), .onDisconnectPut(let place, _): place.path
        case .unlisten, .onDisconnectCancel, .authenticate, .unauthenticate, .appCheck, .stats,
            .unknown:
            nil
        }
    }
}

extension RealtimeReply {
    /// Why a call of REST was refused; `nil` if it was done.
    fileprivate var refusal: HearthError? {
        guard case .error(let reason) = body else { return nil }
        let code: StatusCode
        switch status {
        case .unauthorized: code = .permissionDenied
        case .preconditionFailed: code = .failedPrecondition
        case .serviceUnavailable: code = .unavailable
        case .ok, .noContent, .notModified, .badRequest: code = .invalidArgument
        }
        return HearthError(code: code, message: reason)
    }
}

extension HearthError {
    /// A refusal in the words of the log.
    fileprivate init(_ refusal: RealtimeRefusal) {
        let code: StatusCode
        switch refusal.status {
        case .permissionDenied: code = .permissionDenied
        case .dataStale: code = .failedPrecondition
        case .tooBig: code = .resourceExhausted
        case .unavailable: code = .unavailable
        case .expiredToken, .invalidToken: code = .unauthenticated
        case .failed: code = .invalidArgument
        }
        self.init(code: code, message: refusal.reason)
    }
}
