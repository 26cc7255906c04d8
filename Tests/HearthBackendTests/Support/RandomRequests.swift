import HearthModel

@testable import HearthBackend

/// Requests by chance: well formed, nonsense and everything between.
struct RandomRequests {
    var lottery: Lottery
    private let names: [PathSegment] = [
        "a", "b", "c", "__x__", ".", "..", "é", "e\u{301}", "__id7__", "x y", "0",
    ]
    /// Transactions that had a name at some time, and some invented names.
    var transactions: [TransactionID] = []

    init(seed: UInt64) {
        lottery = Lottery(seed: seed)
    }

    mutating func path(count: Int) -> ResourcePath {
        ResourcePath((0..<count).map { _ in lottery.pick(names) })
    }

    mutating func key() -> DocumentKey {
        let path = path(count: lottery.pick([2, 2, 2, 4, 4, 6]))
        guard let key = DocumentKey(path) else { preconditionFailure("An odd path \(path)") }
        return key
    }

    mutating func field() -> FieldPath {
        if lottery.number(below: 8) == 0 { return .documentID }
        return FieldPath(
            (0...lottery.number(below: 3)).map { _ in lottery.pick(["a", "b", "", "__y__", "é"]) })
    }

    mutating func value(depth: Int = 0) -> Value {
        switch lottery.number(below: depth < 4 ? 14 : 11) {
        case 0: return .null
        case 1: return .boolean(lottery.number(below: 2) == 0)
        case 2: return .integer(lottery.pick([0, 1, .max, .min, -1]))
        case 3: return .double(lottery.pick([0, -0.0, .nan, .infinity, -.infinity, 1, 1e300]))
        case 4: return .timestamp(Timestamp(microseconds: Int64(lottery.number(below: 9)) - 4))
        case 5: return .string(lottery.pick(["", "a", "é", "e\u{301}"]))
        case 6: return .bytes((0..<lottery.number(below: 4)).map { UInt8($0) })
        case 7:
            return .reference(
                DocumentName(
                    database: BackendSpec.database, path: path(count: lottery.number(below: 5))))
        case 8:
            return .geoPoint(
                GeoPoint(
                    latitude: lottery.pick([0, 90, -91, .nan]),
                    longitude: lottery.pick([0, 180, 181, -0.0])))
        case 9: return .vector(lottery.pick([[], [1], [1, 2], [.nan, 0]]))
        case 10:
            return .serverTimestamp(
                PendingServerTimestamp(
                    localWriteTime: Timestamp(microseconds: 1), previousValue: nil))
        case 11:
            return .array((0..<lottery.number(below: 4)).map { _ in value(depth: depth + 1) })
        default: return .map(fields(depth: depth + 1))
        }
    }

    mutating func fields(depth: Int = 0) -> MapValue {
        MapValue(
            (0..<lottery.number(below: 4)).map { _ in
                (lottery.pick(["a", "b", "c", "", "__z__"]), value(depth: depth))
            })
    }

    mutating func write() -> Mutation {
        let kind: Mutation.Kind
        switch lottery.number(below: 6) {
        case 0: kind = .delete
        case 1: kind = .verify
        case 2:
            kind = .patch(
                fields(), FieldMask((0..<lottery.number(below: 3)).map { _ in field() }))
        default: kind = .set(fields())
        }
        let precondition: Precondition
        switch lottery.number(below: 6) {
        case 0: precondition = .exists(lottery.number(below: 2) == 0)
        case 1: precondition = .updateTime(version())
        default: precondition = .none
        }
        let isUpdate = kind != .delete && kind != .verify
        return Mutation(
            key: key(), kind: kind, precondition: precondition,
            transforms: isUpdate
                ? (0..<lottery.number(below: 3)).map { _ in transform() } : [])
    }

    private mutating func transform() -> FieldTransform {
        let operation: FieldTransform.Operation
        switch lottery.number(below: 6) {
        case 0: operation = .serverTimestamp
        case 1: operation = .increment(value())
        case 2: operation = .maximum(value())
        case 3: operation = .minimum(value())
        case 4: operation = .arrayUnion([value(), value()])
        default: operation = .arrayRemove([value()])
        }
        return FieldTransform(field: field(), operation: operation)
    }

    mutating func version() -> SnapshotVersion {
        SnapshotVersion(time())
    }

    mutating func time() -> Timestamp {
        switch lottery.number(below: 4) {
        case 0: Timestamp(microseconds: lottery.pick([.min, .max, 0, -1]))
        case 1:
            Timestamp(seconds: 1_700_000_000 + Int64(lottery.number(below: 400)), nanoseconds: 7)
        default: Timestamp(seconds: 1_700_000_000, nanoseconds: Int32(lottery.number(below: 999)))
        }
    }

    mutating func filter(depth: Int = 0) -> Filter {
        switch lottery.number(below: depth < 3 ? 8 : 6) {
        case 0:
            let op = lottery.pick([
                UnaryFilter.Operator.isNaN, .isNull, .isNotNaN, .isNotNull,
            ])
            return .unary(UnaryFilter(field: field(), op: op))
        case 6, 7:
            let filters = (0..<lottery.number(below: 4)).map { _ in filter(depth: depth + 1) }
            return .composite(CompositeFilter(op: lottery.pick([.and, .or]), filters: filters))
        default:
            return .field(field(), lottery.pick(FieldFilter.Operator.allCases), value())
        }
    }

    mutating func query() -> StructuredQuery {
        let id = lottery.number(below: 5) == 0 ? nil : lottery.pick(names)
        var query = StructuredQuery(
            parent: path(count: lottery.pick([0, 0, 0, 1, 2, 4])),
            source: lottery.number(below: 8) == 0
                ? nil : .init(collectionID: id, allDescendants: lottery.number(below: 3) == 0))
        if lottery.number(below: 3) > 0 { query.filter = filter() }
        for _ in 0..<lottery.number(below: 3) {
            query.orderBys.append(OrderBy(field(), lottery.pick([.ascending, .descending])))
        }
        if lottery.number(below: 2) == 0 { query.limit = lottery.pick([-1, 0, 1, 3, .max / 4]) }
        if lottery.number(below: 4) == 0 { query.offset = lottery.pick([-1, 1, 2, 1_000]) }
        if lottery.number(below: 4) == 0 { query.startAt = bound() }
        if lottery.number(below: 4) == 0 { query.endAt = bound() }
        if lottery.number(below: 5) == 0 { query.projection = [field(), field()] }
        return query
    }

    private mutating func bound() -> Bound {
        Bound(
            (0..<lottery.number(below: 4)).map { _ in value() },
            isInclusive: lottery.number(below: 2) == 0)
    }

    mutating func transaction() -> TransactionID? {
        if lottery.number(below: 6) == 0 {
            return TransactionID((0..<24).map { _ in UInt8(lottery.number(below: 3)) })
        }
        return transactions.isEmpty ? nil : lottery.pick(transactions)
    }

    mutating func options() -> TransactionOptions {
        var options: TransactionOptions
        switch lottery.number(below: 4) {
        case 0: options = .readOnly(at: lottery.number(below: 2) == 0 ? nil : time())
        case 1: options = .optimistic
        default: options = .pessimistic
        }
        if lottery.number(below: 3) == 0 { options.retried = transaction() }
        return options
    }

    mutating func consistency() -> ReadConsistency {
        switch lottery.number(below: 5) {
        case 0: return .readTime(time())
        case 1: return transaction().map { .transaction($0) } ?? .latest
        case 2: return .newTransaction(options())
        default: return .latest
        }
    }

    mutating func watch(tokens: [ResumeToken]) -> WatchRequest {
        let subject: WatchRequest.Subject
        switch lottery.number(below: 6) {
        case 0: subject = .documents((0..<lottery.number(below: 4)).map { _ in key() })
        case 1: subject = .unreadable(HearthError(code: .invalidArgument, message: "Unreadable."))
        default: subject = .query(query())
        }
        var request = WatchRequest(
            targetID: WireTargetID(lottery.pick([1, 2, 3, 4, 5, 6, 7, 8, 9, -1, 0])),
            subject: subject)
        switch lottery.number(below: 5) {
        case 0: request.resumePoint = .readTime(version())
        case 1 where !tokens.isEmpty: request.resumePoint = .token(lottery.pick(tokens))
        case 2:
            let bytes = (0..<lottery.pick([1, 15, 16, 17])).map { _ in
                UInt8(lottery.number(below: 256))
            }
            request.resumePoint = ResumeToken(bytes).map { .token($0) } ?? .start
        case 3:
            // One of ours, but for its moment.
            let bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 7]
            let moment = (0..<8).map { _ in UInt8(lottery.number(below: 256)) }
            request.resumePoint = ResumeToken(bytes + moment).map { .token($0) } ?? .start
        default: break
        }
        if lottery.number(below: 3) == 0 {
            request.expectedCount = lottery.pick([-1, 0, 1, 5, .max])
        }
        request.once = lottery.number(below: 4) == 0
        return request
    }
}
