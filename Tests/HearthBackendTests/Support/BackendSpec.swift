import HearthModel
import Testing

@testable import HearthBackend

/// A backend with a clock in hand, and short words for what tests do with it.
struct BackendSpec {
    static let database = DatabaseID(project: "spec")
    static let stream = StreamID(1)

    var backend: Backend
    var now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    private(set) var saves: [BackendAction.Save] = []
    private(set) var answers: [WaiterID: CommitAnswer] = [:]
    private(set) var delivered: [StreamID: [WatchChange]] = [:]

    init(_ settings: BackendSettings = BackendSettings()) {
        backend = Backend(identity: 7, run: 1, settings: settings)
    }

    /// Lets time pass.
    mutating func wait(_ duration: Duration) {
        now = now.advanced(by: duration)
    }

    @discardableResult
    mutating func commit(_ writes: Mutation..., transaction: TransactionID? = nil) throws
        -> CommitOutcome
    {
        let reply = try tryCommit(writes, transaction: transaction)
        guard case .done(let outcome) = reply else {
            throw HearthError(code: .aborted, message: "The commit waits.")
        }
        return outcome
    }

    mutating func tryCommit(_ writes: [Mutation], transaction: TransactionID? = nil) throws
        -> CommitReply
    {
        wait(.milliseconds(1))
        defer { act() }
        return try backend.commit(
            writes, in: Self.database, transaction: transaction, at: now)
    }

    @discardableResult
    mutating func put(_ path: String, _ fields: MapValue) throws -> CommitOutcome {
        try commit(.set(path, fields))
    }

    @discardableResult
    mutating func delete(_ path: String) throws -> CommitOutcome {
        try commit(Mutation(key: key(path), kind: .delete))
    }

    mutating func view(_ consistency: ReadConsistency = .latest) throws -> ReadView {
        try backend.read(.nothing, in: Self.database, consistency, at: now)
    }

    mutating func get(_ path: String) throws -> Document {
        try view().document(key(path))
    }

    mutating func ids(_ query: StructuredQuery) throws -> [String] {
        try view().run(QueryPlan(query, in: Self.database)).documents.map(\.key.documentID)
    }

    /// Adds a target and returns what it is told.
    mutating func listen(
        _ id: Int32, _ subject: WatchRequest.Subject, on stream: StreamID = stream,
        from point: ResumePoint = .start, expecting count: Int? = nil, once: Bool = false
    ) throws -> [Told] {
        backend.open(stream, in: Self.database)
        var request = WatchRequest(targetID: WireTargetID(id), subject: subject)
        request.resumePoint = point
        request.expectedCount = count
        request.once = once
        wait(.milliseconds(1))
        try backend.watch(request, on: stream, at: now)
        return take(stream)
    }

    /// What a stream was told since it was last asked.
    mutating func take(_ stream: StreamID = stream) -> [Told] {
        act()
        return (delivered.removeValue(forKey: stream) ?? []).map(Told.init)
    }

    /// The same as the stream has it.
    mutating func takeMessages(_ stream: StreamID = stream) -> [WatchChange] {
        act()
        return delivered.removeValue(forKey: stream) ?? []
    }

    mutating func expire() {
        backend.expire(at: now)
        act()
    }

    mutating func act() {
        for action in backend.takeActions() {
            switch action {
            case .save(_, let save): saves.append(save)
            case .answer(let waiter, let answer): answers[waiter] = answer
            case .deliver(let stream, let messages):
                delivered[stream, default: []] += messages
            }
        }
    }
}

/// A message of a watch stream in a form that reads.
enum Told: Equatable, CustomStringConvertible {
    case added([Int32]), removed([Int32], StatusCode?), current([Int32]), reset([Int32])
    case snapshot
    case document(String, in: [Int32], left: [Int32] = [])
    case deleted(String, left: [Int32])
    case gone(String, left: [Int32])
    case filter(Int32, Int)

    init(_ change: WatchChange) {
        switch change {
        case .document(let change):
            let path = change.key.path.string
            let updated = change.updated.map(\.rawValue)
            let removed = change.removed.map(\.rawValue)
            switch change.document {
            case nil: self = .gone(path, left: removed)
            case let document? where document.isMissing: self = .deleted(path, left: removed)
            case .some: self = .document(path, in: updated, left: removed)
            }
        case .existenceFilter(let filter):
            self = .filter(filter.target.rawValue, filter.count)
        case .target(let change):
            let ids = change.targets.map(\.rawValue)
            switch change.kind {
            case .noChange: self = .snapshot
            case .added: self = .added(ids)
            case .removed(let cause): self = .removed(ids, cause?.code)
            case .current: self = .current(ids)
            case .reset: self = .reset(ids)
            }
        }
    }

    var description: String {
        switch self {
        case .added(let ids): "added \(ids)"
        case .removed(let ids, let code): "removed \(ids) \(code?.name ?? "")"
        case .current(let ids): "current \(ids)"
        case .reset(let ids): "reset \(ids)"
        case .snapshot: "snapshot"
        case .document(let path, let ids, let left): "\(path) in \(ids) left \(left)"
        case .deleted(let path, let left): "\(path) deleted from \(left)"
        case .gone(let path, let left): "\(path) gone from \(left)"
        case .filter(let id, let count): "filter \(id): \(count)"
        }
    }
}

/// A client's documents by target, put together from the backend's messages.
extension [WireTargetID: [DocumentKey: SnapshotVersion]] {
    mutating func follow(_ messages: [WatchChange]) {
        for message in messages {
            switch message {
            case .document(let change):
                for target in change.removed { self[target]?[change.key] = nil }
                for target in change.updated {
                    self[target, default: [:]][change.key] = change.document?.version
                }
            case .target(let change) where change.kind == .reset:
                for target in change.targets { self[target] = [:] }
            case .target, .existenceFilter: break
            }
        }
    }
}

/// The key of a path that is known to be right.
func key(_ path: String) -> DocumentKey {
    guard let key = try? DocumentKey(parsing: path) else {
        preconditionFailure("\(path) is no document's path")
    }
    return key
}

/// The same, where `key` means something else.
private func documentKey(_ path: String) -> DocumentKey { key(path) }

extension Mutation {
    static func set(
        _ path: String, _ fields: MapValue, _ precondition: Precondition = .none,
        _ transforms: FieldTransform...
    ) -> Mutation {
        Mutation(
            key: documentKey(path), kind: .set(fields), precondition: precondition,
            transforms: transforms)
    }

    static func patch(_ path: String, _ fields: MapValue, _ mask: String...) -> Mutation {
        Mutation(
            key: documentKey(path), kind: .patch(fields, FieldMask(mask.map { FieldPath([$0]) })))
    }
}

extension StructuredQuery {
    /// All documents of a top-level collection.
    static func all(_ collection: String) -> StructuredQuery {
        StructuredQuery(
            parent: .root, source: .init(collectionID: try? PathSegment(parsing: collection)))
    }

    func ordered(by fields: String...) -> StructuredQuery {
        var query = self
        query.orderBys = fields.map { OrderBy(FieldPath([$0])) }
        return query
    }

    func limited(to limit: Int) -> StructuredQuery {
        var query = self
        query.limit = limit
        return query
    }

    func filtered(_ filter: Filter) -> StructuredQuery {
        var query = self
        query.filter = filter
        return query
    }
}
