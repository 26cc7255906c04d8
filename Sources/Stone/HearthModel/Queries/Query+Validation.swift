extension Query {
    /// Refuses what the client SDKs refuse before anything is sent, and what is beyond
    /// `QueryLimits`.
    ///
    /// - Throws: `HearthError` with `invalidArgument`, or `unimplemented` for a limit to the last
    ///   without a sort key.
    /// - Source: firestore `lite-api/query`, the rejected combinations.
    package func validate() throws(HearthError) {
        try checkLimits()
        try validatePath()
        for filter in filters { try Self.validate(filter) }
        try validateCombinations()
        try validateKeyFilters()
        if let limit {
            guard limit.count > 0 else {
                throw .invalid("The limit is \(limit.count); it must be 1 or more.")
            }
            guard limit.end == .first || !explicitOrderBys.isEmpty else {
                throw HearthError(
                    code: .unimplemented,
                    message: "A limit to the last results needs at least one orderBy.")
            }
        }
        for bound in [startAt, endAt].compactMap(\.self) { try validate(bound) }
    }

    private func validatePath() throws(HearthError) {
        if group != nil {
            guard path.count.isMultiple(of: 2) else {
                throw .invalid("\"\(path)\" is a collection; a group lies below a document.")
            }
            return
        }
        guard !path.isEmpty else { throw .invalid("A query needs a collection's path.") }
        guard !path.count.isMultiple(of: 2) || documentKey != nil else {
            throw .invalid("\"\(path)\" is a document; filters need a collection.")
        }
    }

    private static func validate(_ filter: Filter) throws(HearthError) {
        switch filter {
        case .unary: return
        case .composite(let composite):
            guard !composite.filters.isEmpty else {
                throw .invalid("A composite filter needs at least one condition.")
            }
            for child in composite.filters { try validate(child) }
        case .field(let field):
            switch field.op {
            case .isIn, .isNotIn, .arrayContainsAny:
                guard let list = field.value.arrayElements, !list.isEmpty else {
                    throw .invalid(
                        "'\(field.op.rawValue)' on \(field.field) needs a list that is not empty.")
                }
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual,
                .arrayContains:
                break
            }
        }
    }

    private func validateCombinations() throws(HearthError) {
        let ops = filters.flatMap(\.flattened).map(\.op)
        let notIns = ops.count { $0 == .isNotIn }
        let notEquals = ops.count { $0 == .notEqual }
        if notIns > 1 { throw .invalid("A query can have one 'not-in' filter.") }
        if notEquals > 1 { throw .invalid("A query can have one '!=' filter.") }
        if notIns == 1 {
            for other in [FieldFilter.Operator.isIn, .arrayContainsAny, .notEqual]
            where ops.contains(other) {
                throw .invalid("'not-in' cannot stand with '\(other.rawValue)' in one query.")
            }
        }
    }

    private func validateKeyFilters() throws(HearthError) {
        for filter in filters.flatMap(\.flattened) where filter.field.isDocumentID {
            switch filter.op {
            case .arrayContains, .arrayContainsAny:
                throw .invalid("A document's id is no array; '\(filter.op.rawValue)' cannot hold.")
            case .isIn, .isNotIn:
                for element in filter.value.arrayElements ?? [] { try validateKey(element) }
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual:
                try validateKey(filter.value)
            }
        }
    }

    private func validateKey(_ value: Value) throws(HearthError) {
        guard case .reference(let name) = value, name.key != nil else {
            throw .invalid("A filter on the document's id needs a document's name.")
        }
    }

    private func validate(_ bound: Bound) throws(HearthError) {
        let orderBys = orderBys
        guard bound.position.count <= orderBys.count else {
            throw .invalid(
                "A cursor has \(bound.position.count) values, the query sorts by "
                    + "\(orderBys.count) fields.")
        }
        for (value, orderBy) in zip(bound.position, orderBys) {
            if orderBy.field.isDocumentID {
                try validateKey(value)
            } else if case .serverTimestamp = value {
                throw .invalid("A cursor cannot hold a server timestamp that is still pending.")
            }
        }
    }
}

extension HearthError {
    /// An invalid argument, explained.
    static func invalid(_ message: String) -> HearthError {
        HearthError(code: .invalidArgument, message: message)
    }
}
