import HearthModel

extension RequestContents {
    /// Refuses contents with too many names, or with names that are too long or too deep.
    ///
    /// `FirestoreCodec+Targets` has checked queries already.
    ///
    /// - Throws: `HearthError` `invalidArgument` with the limit and its value.
    func checkLimits() throws(HearthError) {
        switch self {
        case .nothing: return
        case .query(let query): try Self.check(query.path)
        case .documents(let keys): try Self.check(keys)
        case .mutations(let mutations): try Self.check(mutations)
        case .aggregate(let request):
            try Self.check(
                request.aggregations.count, QueryLimits.aggregationCountMax, "numbers of a query")
            for aggregation in request.aggregations {
                switch aggregation.operation {
                case .count: break
                case .sum(let field), .average(let field): try Self.check(field)
                }
            }
        case .bundle(let order):
            try Self.check(
                order.id.utf8.count, PathLimits.segmentByteCountMax, "bytes of a bundle's name")
            try Self.check(
                order.queries.count, RequestLimits.bundleQueryCountMax, "queries of a bundle")
            try Self.check(order.documents)
        case .index(let index):
            try Self.check(
                index.fields.count, RequestLimits.indexFieldCountMax, "fields of an index")
            for field in index.fields { try Self.check(field.path) }
        case .collections(let page):
            try Self.check(page.below)
            try Self.check(page.after)
        case .subtree(let path, _): try Self.check(path)
        case .change(let change):
            if case .update(_, let parts) = change {
                try Self.check(
                    parts.count, RequestLimits.updatePlaceCountMax, "places of an update")
            }
            if let objection = change.objection {
                throw HearthError(
                    code: .invalidArgument, message: "The write cannot be made: \(objection).")
            }
        case .batches(let ids):
            try Self.check(ids.count, RequestLimits.batchCountMax, "batches of one order")
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

    private static func check(_ path: RealtimePath) throws(HearthError) {
        guard path.depth <= RealtimePath.depthMax else {
            throw HearthError(
                code: .invalidArgument,
                message: "The path has \(path.depth) keys, and may have "
                    + "\(RealtimePath.depthMax).")
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
