package import HearthModel

/// Queries by chance over the documents of `ValueChance`: every filter, order, cursor and limit.
package struct QueryChance: Sendable {
    /// Where the values come from.
    package var values: ValueChance
    /// The fields that queries ask about, nested ones too.
    package static let fields = [
        FieldPath(["a"]), FieldPath(["b"]), FieldPath(["m", "x"]), FieldPath(["\u{e9}"]),
    ]

    /// Takes the values' chance.
    package init(_ values: ValueChance) {
        self.values = values
    }

    /// The fields of a document for such queries.
    package mutating func fieldsOfDocument() -> MapValue {
        var map = values.map(of: ["a", "b", "\u{e9}", "unasked"], depth: 2)
        if !values.once(in: 4) { map["m"] = .map(values.map(of: ["x", "y"], depth: 1)) }
        return map
    }

    /// A query that the SDKs would let through.
    ///
    /// - Parameter document: One that a cursor may point at.
    package mutating func query(document: Document?) -> Query {
        while true {
            let query = candidate(document: document)
            do throws(HearthError) {
                try query.validate()
                return query
            } catch {
                continue
            }
        }
    }

    private mutating func candidate(document: Document?) -> Query {
        var query =
            values.once(in: 4)
            ? Query(
                collectionGroup: "g",
                below: values.once(in: 4) ? ResourcePath(["c", "a"]) : .root)
            : Query(path: ResourcePath(["c"]))
        query.filters = (0..<values.one(of: [0, 1, 1, 1, 2, 2, 3])).map { _ in filter(depth: 2) }
        var explicit: [OrderBy] = []
        for _ in 0..<values.one(of: [0, 0, 1, 1, 2]) {
            let field = values.once(in: 8) ? .documentID : values.one(of: Self.fields)
            if explicit.contains(where: { $0.field == field }) { continue }
            explicit.append(OrderBy(field, values.once(in: 2) ? .ascending : .descending))
        }
        query.explicitOrderBys = explicit
        if values.once(in: 2) {
            query.limit = Query.Limit(
                values.one(of: [1, 2, 3, 5, 50]), values.once(in: 3) ? .last : .first)
        }
        if values.once(in: 4) { query.startAt = bound(of: query, document) }
        if values.once(in: 4) { query.endAt = bound(of: query, document) }
        return query
    }

    private mutating func filter(depth: Int) -> Filter {
        if depth > 0, values.once(in: 6) {
            let children = (0..<values.one(of: [1, 2, 2, 3])).map { _ in filter(depth: depth - 1) }
            return values.once(in: 3) ? .and(children) : .or(children)
        }
        if values.once(in: 12) { return keyFilter() }
        let field = values.one(of: Self.fields)
        let op = values.one(of: FieldFilter.Operator.allCases + [.equal, .equal])
        switch op {
        case .isIn, .isNotIn, .arrayContainsAny:
            let list = (0..<values.one(of: [1, 2, 3])).map { _ in values.value(depth: 1) }
            return .field(field, op, .array(list))
        case .arrayContains:
            return .field(field, op, values.element(depth: 1))
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual:
            return .field(field, op, values.value(depth: 1))
        }
    }

    private mutating func keyFilter() -> Filter {
        func name(_ id: PathSegment) -> Value {
            .reference(DocumentName(database: values.database, path: ResourcePath(["c", id])))
        }
        let op = values.one(of: [
            FieldFilter.Operator.equal, .lessThan, .greaterThanOrEqual, .isIn, .isNotIn, .notEqual,
        ])
        let id = values.one(of: ValueChance.ids)
        let other = values.one(of: ValueChance.ids)
        let isList = op == .isIn || op == .isNotIn
        return .field(.documentID, op, isList ? .array([name(id), name(other)]) : name(id))
    }

    private mutating func bound(of query: Query, _ document: Document?) -> Bound? {
        let orderBys = query.orderBys
        let isInclusive = values.once(in: 2)
        if let document, values.once(in: 2), query.matchesPath(document.key) {
            // As a cursor by document: every sort key.
            var position: [Value] = []
            for orderBy in orderBys {
                if orderBy.field.isDocumentID {
                    position.append(
                        .reference(DocumentName(database: values.database, key: document.key)))
                } else {
                    guard let value = document[orderBy.field] else { return nil }
                    position.append(value)
                }
            }
            return Bound(position, isInclusive: isInclusive)
        }
        let count = query.explicitOrderBys.count
        guard count > 0 else { return nil }
        var position: [Value] = []
        for orderBy in orderBys.prefix(1 + values.number(below: count)) {
            let name = DocumentName(
                database: values.database,
                path: ResourcePath(["c", values.one(of: ValueChance.ids)]))
            position.append(
                orderBy.field.isDocumentID ? .reference(name) : values.value(depth: 1))
        }
        return Bound(position, isInclusive: isInclusive)
    }
}
