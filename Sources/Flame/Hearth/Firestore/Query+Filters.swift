import HearthModel

extension Query {
    /// Keeps documents that fulfil the condition and all conditions of the query so far.
    public func whereFilter(_ filter: Filter) -> Query {
        with { query throws(FirestoreError) in
            guard let condition = try filter.resolved(for: query) else { return }
            if case .composite(let composite) = condition, composite.op == .and,
                composite.isFlatConjunction
            {
                query.filters += composite.filters
            } else {
                query.filters.append(condition)
            }
        }
    }

    /// Keeps documents whose field equals the value.
    public func whereField(_ field: some FieldName, isEqualTo value: Any) -> Query {
        whereFilter(.whereField(field, isEqualTo: value))
    }

    /// Keeps documents whose field exists and is neither null nor equal to the value.
    public func whereField(_ field: some FieldName, isNotEqualTo value: Any) -> Query {
        whereFilter(.whereField(field, isNotEqualTo: value))
    }

    /// Keeps documents whose field is of the value's type and less.
    public func whereField(_ field: some FieldName, isLessThan value: Any) -> Query {
        whereFilter(.whereField(field, isLessThan: value))
    }

    /// Keeps documents whose field is of the value's type and less or equal.
    public func whereField(_ field: some FieldName, isLessThanOrEqualTo value: Any) -> Query {
        whereFilter(.whereField(field, isLessThanOrEqualTo: value))
    }

    /// Keeps documents whose field is of the value's type and greater.
    public func whereField(_ field: some FieldName, isGreaterThan value: Any) -> Query {
        whereFilter(.whereField(field, isGreaterThan: value))
    }

    /// Keeps documents whose field is of the value's type and greater or equal.
    public func whereField(_ field: some FieldName, isGreaterThanOrEqualTo value: Any) -> Query {
        whereFilter(.whereField(field, isGreaterThanOrEqualTo: value))
    }

    /// Keeps documents whose field is an array that holds the value.
    public func whereField(_ field: some FieldName, arrayContains value: Any) -> Query {
        whereFilter(.whereField(field, arrayContains: value))
    }

    /// Keeps documents whose field is an array with at least one of the values.
    public func whereField(_ field: some FieldName, arrayContainsAny values: [Any]) -> Query {
        whereFilter(.whereField(field, arrayContainsAny: values))
    }

    /// Keeps documents whose field equals one of the values.
    public func whereField(_ field: some FieldName, in values: [Any]) -> Query {
        whereFilter(.whereField(field, in: values))
    }

    /// Keeps documents whose field exists and is neither null nor equal to one of the values.
    public func whereField(_ field: some FieldName, notIn values: [Any]) -> Query {
        whereFilter(.whereField(field, notIn: values))
    }
}
