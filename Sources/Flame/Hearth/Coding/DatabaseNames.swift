import HearthModel
import HearthWire

/// The database before the daemon has told us which one is its default. References that are made
/// earlier bear this name; it is replaced when a request is sent.
extension DatabaseID {
    /// Stands for the session's database. No real project can have this name.
    static let ofSession = DatabaseID(project: "-", database: "-")
}

extension Value {
    /// The value with references to the session's database named in full.
    func named(in database: DatabaseID) -> Value {
        switch self {
        case .reference(let name) where name.database == .ofSession:
            .reference(DocumentName(database: database, path: name.path))
        case .array(let elements): .array(elements.map { $0.named(in: database) })
        case .map(let map): .map(map.named(in: database))
        case .null, .boolean, .integer, .double, .timestamp, .serverTimestamp, .string, .bytes,
            .reference, .geoPoint:
            self
        }
    }
}

extension MapValue {
    /// The map with references to the session's database named in full.
    func named(in database: DatabaseID) -> MapValue {
        MapValue(
            entries: entries.map { Entry(key: $0.key, value: $0.value.named(in: database)) })
    }
}

extension Mutation {
    /// The write with references to the session's database named in full.
    func named(in database: DatabaseID) -> Mutation {
        let kind: Kind =
            switch self.kind {
            case .set(let fields): .set(fields.named(in: database))
            case .patch(let fields, let mask): .patch(fields.named(in: database), mask)
            case .delete: .delete
            case .verify: .verify
            }
        return Mutation(
            key: key, kind: kind, precondition: precondition,
            transforms: transforms.map { $0.named(in: database) })
    }
}

extension FieldTransform {
    fileprivate func named(in database: DatabaseID) -> FieldTransform {
        switch operation {
        case .arrayUnion(let elements):
            FieldTransform(
                field: field, operation: .arrayUnion(elements.map { $0.named(in: database) }))
        case .arrayRemove(let elements):
            FieldTransform(
                field: field, operation: .arrayRemove(elements.map { $0.named(in: database) }))
        case .serverTimestamp, .increment, .maximum, .minimum:
            self
        }
    }
}

extension HearthModel.Query {
    /// The query with references to the session's database named in full.
    func named(in database: DatabaseID) -> HearthModel.Query {
        var query = self
        query.filters = filters.map { $0.named(in: database) }
        query.startAt = startAt.map { $0.named(in: database) }
        query.endAt = endAt.map { $0.named(in: database) }
        return query
    }
}

extension Bound {
    fileprivate func named(in database: DatabaseID) -> Bound {
        Bound(position.map { $0.named(in: database) }, isInclusive: isInclusive)
    }
}

extension HearthModel.Filter {
    fileprivate func named(in database: DatabaseID) -> HearthModel.Filter {
        switch self {
        case .field(let filter):
            .field(filter.field, filter.op, filter.value.named(in: database))
        case .unary:
            self
        case .composite(let composite):
            .composite(
                CompositeFilter(
                    op: composite.op, filters: composite.filters.map { $0.named(in: database) }))
        }
    }
}

extension Request {
    /// The request with references to the session's database named in full.
    func named(in database: DatabaseID) -> Request {
        switch self {
        case .get(let query, let source): .get(query.named(in: database), source)
        case .listen(let query, let options): .listen(query.named(in: database), options)
        case .write(let write):
            .write(
                Write(
                    sequence: write.sequence, answeredBelow: write.answeredBelow,
                    mutations: write.mutations.map { $0.named(in: database) }))
        case .commit(let mutations): .commit(mutations.map { $0.named(in: database) })
        case .explain(let query): .explain(query.named(in: database))
        case .aggregate(let aggregate):
            .aggregate(
                AggregateRequest(
                    query: aggregate.query.named(in: database),
                    aggregations: aggregate.aggregations, source: aggregate.source))
        case .buildBundle(let order):
            .buildBundle(
                BundleOrder(
                    id: order.id,
                    queries: order.queries.map {
                        .init(name: $0.name, query: $0.query.named(in: database))
                    }, documents: order.documents))
        case .hello, .ping, .unlisten, .waitForPendingWrites, .waitForOwnWrites, .listenToSync,
            .unlistenToSync, .loadBundle, .getNamedQuery, .readDocuments, .voteNetwork,
            .manageIndexes, .clearPersistence,
            .getStatus, .inspect, .listQueue, .listDeadLetters, .listCollections, .setNetwork,
            .authenticate, .reload:
            self
        case .steerQueue(.edit(let batch, let mutations)):
            .steerQueue(.edit(batch, mutations.map { $0.named(in: database) }))
        case .steerQueue: self
        }
    }
}
