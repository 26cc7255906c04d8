import HearthModel

/// How much one request may name.
///
/// They are looked at as soon as a request is read, before access rules, engines or the disk walk
/// through what it names. Names and queries have Firestore's own limits: `PathLimits`,
/// `QueryLimits`. A write as a whole is bounded by its bytes.
package enum RequestLimits {
    /// Documents that a transaction reads in one request, or that a bundle holds by their names.
    package static let documentCountMax = 10_000
    /// Queries of one bundle.
    package static let bundleQueryCountMax = 1_000
    /// Batches that one order steers.
    package static let batchCountMax = 100_000
    /// Fields of one index, as Firestore's composite indexes have at most.
    package static let indexFieldCountMax = 100
    /// Fields that one write changes by their paths. A document with more has more entries in
    /// Firestore's indexes than the 40,000 that it may have.
    package static let fieldPathCountMax = 20_000
    /// Transforms of one write, Firestore's limit for a document in a commit.
    package static let transformCountMax = 500
}

extension Request {
    /// Refuses a request that names too much, too long or too deep. Queries were looked at before
    /// they were made, see `WireCodec+Targets`.
    ///
    /// - Throws: `HearthError` `invalidArgument`, saying which limit and its value.
    func checkLimits() throws(HearthError) {
        switch self {
        case .get(let query, _), .listen(let query, _), .explain(let query):
            try Self.check(query.path)
        case .readDocuments(let keys):
            try Self.check(keys)
        case .write(let write):
            try Self.check(write.mutations)
        case .commit(let mutations):
            try Self.check(mutations)
        case .aggregate(let aggregate):
            try Self.check(
                aggregate.aggregations.count, QueryLimits.aggregationCountMax, "numbers of a query")
            for aggregation in aggregate.aggregations {
                switch aggregation.operation {
                case .count: break
                case .sum(let field), .average(let field): try Self.check(field)
                }
            }
        case .buildBundle(let order):
            try Self.check(
                order.id.utf8.count, PathLimits.segmentByteCountMax, "bytes of a bundle's name")
            try Self.check(
                order.queries.count, RequestLimits.bundleQueryCountMax, "queries of a bundle")
            try Self.check(order.documents)
        case .manageIndexes(.add(let index)), .manageIndexes(.remove(let index)):
            try Self.check(
                index.fields.count, RequestLimits.indexFieldCountMax, "fields of an index")
            for field in index.fields { try Self.check(field.path) }
        case .listCollections(let page):
            try Self.check(page.below)
            try Self.check(page.after)
        case .steerQueue(let steering): try Self.check(steering)
        case .hello, .ping, .unlisten, .waitForPendingWrites, .waitForOwnWrites, .listenToSync,
            .unlistenToSync, .loadBundle, .getNamedQuery, .manageIndexes, .clearPersistence,
            .voteNetwork, .getStatus, .inspect, .listQueue, .listDeadLetters, .reload, .setNetwork,
            .authenticate:
            return
        }
    }

    private static func check(_ steering: QueueSteering) throws(HearthError) {
        switch steering {
        case .hold(let ids), .release(let ids), .cancel(let ids), .drop(let ids),
            .retryDeadLetters(let ids, _), .dropDeadLetters(let ids):
            try check(ids.count, RequestLimits.batchCountMax, "batches of one order")
        case .edit(_, let mutations), .editDeadLetter(_, let mutations, _):
            try check(mutations)
        case .retry: return
        }
    }

    private static func check(_ keys: [DocumentKey]) throws(HearthError) {
        try check(keys.count, RequestLimits.documentCountMax, "documents of one request")
        for key in keys { try check(key.path) }
    }

    private static func check(_ mutations: [Mutation]) throws(HearthError) {
        for mutation in mutations {
            try check(mutation.key.path)
            if case .patch(_, let mask) = mutation.kind {
                try check(
                    mask.paths.count, RequestLimits.fieldPathCountMax, "fields of a write's mask")
                for path in mask.paths { try check(path) }
            }
            try check(
                mutation.transforms.count, RequestLimits.transformCountMax,
                "transforms of a write")
            for transform in mutation.transforms { try check(transform.field) }
        }
    }

    private static func check(_ path: ResourcePath) throws(HearthError) {
        do throws(PathError) {
            try path.checkLimits()
        } catch {
            throw HearthError(code: .invalidArgument, message: "\(error)")
        }
    }

    private static func check(_ field: FieldPath) throws(HearthError) {
        do throws(PathError) {
            try field.checkLimits()
        } catch {
            throw HearthError(code: .invalidArgument, message: "\(error)")
        }
    }

    private static func check(_ count: Int, _ most: Int, _ what: String) throws(HearthError) {
        guard count <= most else {
            throw HearthError(
                code: .invalidArgument,
                message: "The request has \(count) \(what), and the limit is \(most). Ask in "
                    + "several requests.")
        }
    }
}
