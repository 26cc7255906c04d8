/// A query as the wire has it: more than a `Target` can hold, and the backend's input.
package struct StructuredQuery: Hashable, Sendable {
    /// Where to look.
    package struct Source: Hashable, Sendable {
        /// The collection id; `nil` for all collections.
        package var collectionID: String? { collection?.string }
        /// Whether to look at every depth below the parent, or only directly.
        package let allDescendants: Bool
        /// The collection id; `nil` for all collections.
        package let collection: PathSegment?

        /// Looks for collections of an id.
        package init(collectionID: PathSegment?, allDescendants: Bool = false) {
            self.collection = collectionID
            self.allDescendants = allDescendants
        }
    }

    /// The document, or the root, below which to look.
    package var parent: ResourcePath
    /// Where to look; `nil` means every document below the parent.
    package var source: Source?
    /// The condition.
    package var filter: Filter?
    /// The sort keys as given.
    package var orderBys: [OrderBy] = []
    /// Where the results start.
    package var startAt: Bound?
    /// Where the results end.
    package var endAt: Bound?
    /// How many results to skip.
    package var offset = 0
    /// How many results at most.
    package var limit: Int?
    /// The only fields to return; `nil` for all. `__name__` alone means none.
    package var projection: [FieldPath]?

    /// Asks below a parent.
    package init(parent: ResourcePath, source: Source?) {
        self.parent = parent
        self.source = source
    }
}

extension Target {
    /// The target as the wire has it. A document's target has no such form.
    package var structuredQuery: StructuredQuery {
        var query: StructuredQuery
        if let group {
            query = StructuredQuery(
                parent: path, source: .init(collectionID: group, allDescendants: true))
        } else {
            precondition(!path.count.isMultiple(of: 2), "A document's target is no query")
            query = StructuredQuery(
                parent: path.parent, source: .init(collectionID: path.lastSegment))
        }
        let wire = filters.map(\.wireForm)
        query.filter = wire.count > 1 ? .and(wire) : wire.first
        query.orderBys = orderBys
        query.limit = limit
        query.startAt = startAt
        query.endAt = endAt
        return query
    }

    /// Reads a wire query that the cache can answer.
    ///
    /// - Throws: `HearthError` `invalidArgument` or `unimplemented`, saying what cannot be held:
    ///   an offset, a projection, no collection, or a parent that is none.
    package init(_ query: StructuredQuery) throws(HearthError) {
        guard query.offset == 0 else {
            throw HearthError(
                code: .unimplemented, message: "A cached query has no offset; use a cursor.")
        }
        guard query.projection == nil else {
            throw HearthError(
                code: .unimplemented, message: "A cached query returns whole documents.")
        }
        guard let source = query.source, let collection = source.collection else {
            throw HearthError(
                code: .invalidArgument, message: "A cached query needs exactly one collection.")
        }
        // Below a collection there are documents, and one of them is no query.
        guard source.allDescendants || query.parent.count.isMultiple(of: 2) else {
            throw HearthError(
                code: .invalidArgument,
                message: "A query looks below a document or the root, and "
                    + "\"\(PathError.brief(query.parent.string))\" is a collection.")
        }
        self.init(
            path: source.allDescendants ? query.parent : query.parent.appending(collection),
            collectionGroup: source.allDescendants ? collection : nil,
            filters: query.filter.map { [$0] } ?? [],
            orderBys: query.orderBys,
            limit: query.limit,
            startAt: query.startAt,
            endAt: query.endAt)
    }

    /// The query that has this target.
    ///
    /// A limit-to-last query has a mirrored target; for `.last`, the method flips the mirror back.
    package func query(limitedTo end: Query.Limit.End = .first) -> Query {
        var query =
            group.map { Query(collectionGroup: $0, below: path) } ?? Query(path: path)
        query.filters = filters
        query.explicitOrderBys = orderBys
        query.limit = limit.map { Query.Limit($0, end) }
        query.startAt = startAt
        query.endAt = endAt
        guard end == .last, limit != nil else { return query }
        query.explicitOrderBys = orderBys.map { OrderBy($0.field, $0.direction.flipped) }
        query.startAt = endAt
        query.endAt = startAt
        return query
    }
}

extension Filter {
    /// Comparisons with null and NaN become unary.
    fileprivate var wireForm: Filter {
        switch self {
        case .field(let filter):
            let isEqual = filter.op == .equal
            guard isEqual || filter.op == .notEqual else { return self }
            if filter.value.isNull {
                return .unary(UnaryFilter(field: filter.field, op: isEqual ? .isNull : .isNotNull))
            }
            if filter.value.isNaN {
                return .unary(UnaryFilter(field: filter.field, op: isEqual ? .isNaN : .isNotNaN))
            }
            return self
        case .unary:
            return self
        case .composite(let filter):
            return .composite(
                CompositeFilter(op: filter.op, filters: filter.filters.map(\.wireForm)))
        }
    }
}
