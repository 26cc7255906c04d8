import HearthBackend
import HearthModel
import HearthRules
import Synchronization

/// A request on its way, which becomes an entry of the log when it ends.
final class RequestRecord: Sendable {
    private struct State {
        var database: String?
        var paths: [String] = []
        var pathCount = 0
        var verdicts: [RuleVerdict] = []
        var hasEnded = false
    }

    private let method: String
    private let asker: RequestEntry.Asker
    private let at: Timestamp
    private let start = ContinuousClock.now
    private let log: RequestLog
    private let state = Mutex(State())

    /// Begins with who asks for what.
    init(_ method: String, by asker: RequestEntry.Asker, at: Timestamp, in log: RequestLog) {
        self.method = method
        self.asker = asker
        self.at = at
        self.log = log
    }

    /// Notes what the request is about.
    func concerns(_ database: DatabaseID, _ subject: RequestSubject) {
        concerns(
            "\(database.project)/\(database.database)",
            paths: subject.paths(countMax: RequestEntry.pathCountMax), count: subject.count)
    }

    /// The same for a tree of the Realtime Database.
    func concerns(_ namespace: RealtimeNamespace, _ place: String) {
        concerns(namespace.name, paths: [place], count: 1)
    }

    private func concerns(_ database: String, paths: [String], count: Int) {
        state.withLock { state in
            state.database = database
            state.paths += paths.prefix(RequestEntry.pathCountMax - state.paths.count)
            state.pathCount += count
        }
    }

    /// Notes what the rules said.
    func judged(_ verdicts: [RuleVerdict]) {
        if verdicts.isEmpty { return }
        state.withLock { state in
            state.verdicts += verdicts.prefix(Backend.verdictCountMax - state.verdicts.count)
        }
    }

    /// Notes that the request was answered; later answers do not count.
    ///
    /// - Parameter error: Why it failed; `nil` if it was done.
    func end(_ error: HearthError?) {
        let state = state.withLock { state -> State? in
            if state.hasEnded { return nil }
            state.hasEnded = true
            return state
        }
        guard let state else { return }
        log.add(
            RequestEntry(
                at: at, duration: start.duration(to: .now), method: method,
                database: state.database, paths: state.paths, pathCount: state.pathCount,
                asker: asker, error: error, verdicts: state.verdicts))
    }

    /// Notes how the request was answered.
    func end(_ result: Result<some Any, HearthError>) {
        if case .failure(let error) = result { end(error) } else { end(nil) }
    }

    /// The same for a target of a stream: if the rules refuse the target, the stream goes on.
    func endListen(_ result: Result<Void, HearthError>) {
        let isDenied = state.withLock { $0.verdicts.contains { !$0.isAllowed } }
        if case .success = result, isDenied { end(Self.denied) } else { end(result) }
    }

    private static let denied = HearthError(
        code: .permissionDenied, message: "Missing or insufficient permissions.")
}

/// What a request is about, for people.
enum RequestSubject {
    case reads(ReadSubject)
    case writes([Mutation])
    case watches(WatchRequest.Subject)

    /// How many documents or queries.
    var count: Int {
        switch self {
        case .reads(.documents(let keys)), .watches(.documents(let keys)): keys.count
        case .writes(let writes): writes.count
        case .reads(.query), .reads(.nearest), .watches(.query): 1
        case .reads(.nothing), .watches(.unreadable): 0
        }
    }

    /// The first paths.
    func paths(countMax: Int) -> [String] {
        switch self {
        case .reads(.documents(let keys)), .watches(.documents(let keys)):
            keys.prefix(countMax).map(\.path.string)
        case .writes(let writes): writes.prefix(countMax).map(\.key.path.string)
        case .reads(.query(let plan)), .reads(.nearest(let plan, _)): [plan.query.place]
        case .watches(.query(let query)): [query.place]
        case .reads(.nothing), .watches(.unreadable): []
        }
    }
}

extension StructuredQuery {
    /// Where the query looks: a collection's path, or `**` for every depth.
    fileprivate var place: String {
        let parts = [
            parent.string, source?.allDescendants == false ? "" : "**", source?.collectionID ?? "",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "/")
    }
}

extension Backend {
    /// Does something for a request, and notes what the rules said.
    mutating func judged<Value>(
        _ record: RequestRecord?, _ body: (inout Backend) throws(HearthError) -> Value
    ) throws(HearthError) -> Value {
        guard let record else { return try body(&self) }
        _ = takeVerdicts()  // Of requests that nobody notes.
        defer { record.judged(takeVerdicts()) }
        return try body(&self)
    }
}
