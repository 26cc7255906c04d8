package import HearthModel

/// A checked query in the form that the backend runs and watches.
package struct QueryPlan: Sendable {
    /// The query as it was asked.
    package let query: StructuredQuery
    /// The sort keys: the given keys, each other field compared by inequality, and the name.
    package private(set) var orderBys: [OrderBy]
    /// The order of the results.
    package private(set) var order: DocumentOrder
    /// A condition without empty parts; `nil` if every document passes.
    let filter: Filter?
    /// Where the query looks.
    let scope: Scope

    /// Checks a query.
    ///
    /// - Parameter database: Where it asks, for the texts of refusals.
    /// - Throws: `HearthError` `invalidArgument` in the backend's own words.
    package init(_ query: StructuredQuery, in database: DatabaseID) throws(HearthError) {
        try QueryRules.check(query, in: database)
        self.query = query
        self.filter = query.filter.flatMap(Self.withoutEmptyParts)
        self.orderBys = Self.completed(query.orderBys, filter)
        self.order = DocumentOrder(orderBys)
        self.scope = Scope(query)
    }

    /// Asks for every document of a collection, or of all collections directly below a path.
    ///
    /// - Parameters:
    ///   - parent: The path that the collections lie directly below.
    ///   - collectionID: `nil` for all collections.
    ///   - orderBys: By name if empty.
    ///   - limit: How many are taken of them at once, as rules see it.
    ///   - database: The database, for the texts of refusals.
    /// - Throws: `HearthError` `invalidArgument` in the backend's own words.
    package init(
        listing parent: ResourcePath, collectionID: PathSegment?, orderBys: [OrderBy] = [],
        limit: Int? = nil, in database: DatabaseID
    ) throws(HearthError) {
        var query = StructuredQuery(
            parent: parent, source: .init(collectionID: collectionID, allDescendants: false))
        query.orderBys = orderBys
        query.limit = limit
        try self.init(query, in: database)
    }

    /// Where the query looks.
    enum Scope: Hashable, Sendable {
        /// One collection.
        case collection(ResourcePath)
        /// All collections of an id at any depth below a path.
        case group(String, below: ResourcePath)
        /// All collections directly below a path.
        case children(of: ResourcePath)
        /// Every document below a path.
        case everything(below: ResourcePath)

        init(_ query: StructuredQuery) {
            switch (query.source?.collection, query.source?.allDescendants ?? true) {
            case (let id?, false): self = .collection(query.parent.appending(id))
            case (let id?, true): self = .group(id.string, below: query.parent)
            case (nil, false): self = .children(of: query.parent)
            case (nil, true): self = .everything(below: query.parent)
            }
        }
    }

    /// Whether a document of this name could be a result.
    package func isInScope(_ key: DocumentKey) -> Bool {
        switch scope {
        case .collection(let path):
            path.isImmediateParent(of: key.path)
        case .group(let id, let parent):
            utf8Equals(key.collectionGroup, id) && parent.isPrefix(of: key.path)
                && key.path.count > parent.count
        case .children(let parent):
            parent.count + 2 == key.path.count && parent.isPrefix(of: key.path)
        case .everything(let parent):
            parent.isPrefix(of: key.path) && key.path.count > parent.count
        }
    }

    /// Whether a document is a result, before offset and limit.
    package func matches(_ document: Document) -> Bool {
        document.isFound && isInScope(document.key) && admits(document)
    }

    /// Whether a found document in the query's scope is a result, before offset and limit.
    func admits(_ document: Document) -> Bool {
        for orderBy in orderBys where !orderBy.field.isDocumentID {
            if document[orderBy.field] == nil { return false }
        }
        return (filter?.matches(document, .backend) ?? true)
            && (query.startAt?.admitsAsStart(document, orderBys: orderBys) ?? true)
            && (query.endAt?.admitsAsEnd(document, orderBys: orderBys) ?? true)
    }

    /// The document with the fields that the query asks for.
    package func projected(_ document: Document) -> Document {
        guard let paths = query.projection, document.isFound else { return document }
        return document.keeping(paths)
    }

    /// The same query, read from an index that holds further fields.
    ///
    /// Documents with equal sort keys come in the order of the further fields, and then in the
    /// order of names.
    func indexed(by fields: [FieldPath]) -> QueryPlan {
        guard let name = orderBys.last, name.field.isDocumentID, query.orderBys.last != name else {
            return self
        }
        var plan = self
        plan.orderBys.removeLast()
        for field in fields where !plan.orderBys.contains(where: { $0.field == field }) {
            plan.orderBys.append(OrderBy(field, name.direction))
        }
        plan.orderBys.append(name)
        plan.order = DocumentOrder(plan.orderBys)
        return plan
    }

    /// The same query with further fields that a document must have.
    func requiring(_ fields: [FieldPath]) -> (Document) -> Bool {
        { document in
            admits(document) && fields.allSatisfy { document[$0] != nil }
        }
    }

    private static func completed(_ given: [OrderBy], _ filter: Filter?) -> [OrderBy] {
        let implicit = given.last?.direction ?? .ascending
        var result = given
        let fields = Set((filter?.flattened ?? []).filter(\.isInequality).map(\.field)).sorted()
        for field in fields
        where !field.isDocumentID && !given.contains(where: { $0.field == field }) {
            result.append(OrderBy(field, implicit))
        }
        if let name = result.firstIndex(where: \.field.isDocumentID) {
            result.removeSubrange((name + 1)...)  // Nothing after the name can matter.
        } else {
            result.append(OrderBy(.documentID, implicit))
        }
        return result
    }

    private static func withoutEmptyParts(_ filter: Filter) -> Filter? {
        guard case .composite(let composite) = filter else { return filter }
        let parts = composite.filters.compactMap(withoutEmptyParts)
        if parts.isEmpty { return nil }
        return parts.count == 1
            ? parts[0] : .composite(CompositeFilter(op: composite.op, filters: parts))
    }
}

extension Document {
    /// The document with some of its fields only.
    package func keeping(_ paths: [FieldPath]) -> Document {
        var kept = MapValue.empty
        for path in paths where path.count > 0 && !path.isDocumentID {
            if let value = self[path] { kept.set(path, to: value) }
        }
        return .found(key, at: version, kept, createdAt: createdAt)
    }
}
