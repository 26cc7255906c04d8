import HearthModel
import HearthWire

/// A question for numbers over the results of a query.
///
/// A document that lacks the field of one of the sums or averages counts in none of the numbers
/// that are asked for together.
public final class AggregateQuery: Sendable {
    /// The query.
    public let query: Query
    /// The numbers, each once.
    let fields: [AggregateField]

    init(query: Query, fields: [AggregateField]) {
        self.query = query
        var unique: [AggregateField] = []
        for field in fields where !unique.contains(field) { unique.append(field) }
        self.fields = unique
    }

    /// Gets the numbers.
    ///
    /// - Parameter source: Where the numbers are computed. `metadata.isFromCache` is true for
    ///   numbers from the cache.
    /// - Throws: `FirestoreError`: `unavailable` if only the backend may answer and the daemon
    ///   cannot reach the backend.
    public func getAggregation(
        source: AggregateSource = .server
    ) async throws -> AggregateQuerySnapshot {
        let event = try await query.firestore.request(try request(source))
        return try snapshot(event)
    }

    /// Gets the numbers, and calls `completion` on a thread of Hearth's.
    public func getAggregation(
        source: AggregateSource = .server,
        completion: @escaping @Sendable (AggregateQuerySnapshot?, (any Error)?) -> Void
    ) {
        let client = query.firestore.client
        do throws(FirestoreError) {
            client.request(client.nextOperation(), try request(source)) { result in
                let snapshot = Result { try self.snapshot(try result.get()) }
                client.callbacks.enqueue {
                    switch snapshot {
                    case .success(let snapshot): completion(snapshot, nil)
                    case .failure(let error): completion(nil, error)
                    }
                }
            }
        } catch {
            client.callbacks.enqueue { completion(nil, error) }
        }
    }

    private func request(_ source: AggregateSource) throws(FirestoreError) -> Request {
        var aggregations: [Aggregation] = []
        for (index, field) in fields.enumerated() {
            aggregations.append(try field.aggregation(alias: Self.alias(index)))
        }
        let source: ReadSource =
            switch source {
            case .default: .default
            case .server: .server
            case .cache: .cache
            }
        return .firestore(
            .aggregate(
                AggregateRequest(
                    query: try query.validated(), aggregations: aggregations, source: source)))
    }

    private func snapshot(_ event: Event) throws(FirestoreError) -> AggregateQuerySnapshot {
        guard case .numbers(let numbers) = event else { throw Firestore.unexpected(event) }
        var values: [AggregateField: Value] = [:]
        for (index, field) in fields.enumerated() {
            values[field] = numbers.values[HearthModel.FieldPath([Self.alias(index)])]
        }
        return AggregateQuerySnapshot(
            query: self, values: values,
            metadata: SnapshotMetadata(
                hasPendingWrites: numbers.hasPendingWrites, isFromCache: numbers.isFromCache))
    }

    private static func alias(_ index: Int) -> String { "aggregate_\(index)" }
}

extension AggregateQuery: Hashable {
    public static func == (lhs: AggregateQuery, rhs: AggregateQuery) -> Bool {
        lhs.query == rhs.query && lhs.fields == rhs.fields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(query)
        hasher.combine(fields)
    }
}

/// Numbers over the results of a query.
public final class AggregateQuerySnapshot: Sendable {
    /// What was asked.
    public let query: AggregateQuery
    /// Whether the numbers were computed from the machine's cache, and whether any of its documents
    /// had writes that the backend has not confirmed.
    public let metadata: SnapshotMetadata
    private let values: [AggregateField: Value]

    init(query: AggregateQuery, values: [AggregateField: Value], metadata: SnapshotMetadata) {
        self.query = query
        self.values = values
        self.metadata = metadata
    }

    /// The number of documents. The program stops unless the query asked for `count()`.
    public var count: Int {
        guard case .integer(let count)? = values[.count()] else {
            preconditionFailure("The count was not asked for")
        }
        return Int(count)
    }

    /// A number that was asked for: an `Int`, a `Double`, or `FirestoreNull` for the average of
    /// nothing. `nil` if it was not asked for.
    public func get(_ field: AggregateField) -> (any Sendable)? {
        values[field].map {
            ValueDecoder(firestore: query.query.firestore, behavior: .none).decode($0)
        }
    }
}

extension AggregateQuerySnapshot: Hashable {
    public static func == (lhs: AggregateQuerySnapshot, rhs: AggregateQuerySnapshot) -> Bool {
        lhs.query == rhs.query && lhs.values == rhs.values && lhs.metadata == rhs.metadata
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(query)
        hasher.combine(values)
    }
}

extension Query {
    /// The question for the number of results.
    public var count: AggregateQuery { aggregate([.count()]) }

    /// The question for 1 to 5 numbers over the results.
    public func aggregate(_ fields: [AggregateField]) -> AggregateQuery {
        AggregateQuery(query: self, fields: fields)
    }
}
