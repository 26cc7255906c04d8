/// One field of a document compared with a value.
package struct FieldFilter: Hashable, Sendable {
    /// The comparisons.
    package enum Operator: String, Hashable, Sendable, CaseIterable {
        case lessThan = "<"
        case lessThanOrEqual = "<="
        case greaterThan = ">"
        case greaterThanOrEqual = ">="
        case equal = "=="
        case notEqual = "!="
        case arrayContains = "array-contains"
        case arrayContainsAny = "array-contains-any"
        case isIn = "in"
        case isNotIn = "not-in"
    }

    /// The field; `FieldPath.documentID` means the key.
    package let field: FieldPath
    /// The comparison.
    package let op: Operator
    /// The operand; for the key a reference, or an array of references.
    package let value: Value

    /// Compares a field with a value.
    ///
    /// - Parameters:
    ///   - field: The field; `FieldPath.documentID` means the key.
    ///   - op: The comparison.
    ///   - value: The operand; for the key a reference, or an array of references.
    package init(field: FieldPath, op: Operator, value: Value) {
        self.field = field
        self.op = op
        self.value = value
    }

    /// Whether the comparison is an inequality, after which a query sorts.
    package var isInequality: Bool {
        switch op {
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .isNotIn:
            true
        case .equal, .arrayContains, .arrayContainsAny, .isIn:
            false
        }
    }

    /// The comparisons that `isIn` or `arrayContainsAny` stands for; `nil` for other operators.
    ///
    /// Each comparison has one value. The filter holds if at least one of the comparisons holds.
    package var alternatives: [FieldFilter]? {
        let single: Operator
        switch op {
        case .isIn: single = .equal
        case .arrayContainsAny: single = .arrayContains
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual,
            .arrayContains, .isNotIn:
            return nil
        }
        // Nothing is in what is no list.
        return (value.arrayElements ?? []).map {
            FieldFilter(field: field, op: single, value: $0)
        }
    }

    func matches(_ document: Document, _ dialect: Dialect) -> Bool {
        if field.isDocumentID { return matches(key: document.key) }
        guard let found = document[field] else { return false }
        return matches(found, dialect)
    }

    /// Whether a field's value fulfils the comparison. Cost: one comparison of two values, for a
    /// list one comparison for each element.
    ///
    /// The backend tests for null and NaN by unary filters only. As operands of a comparison they
    /// equal nothing, not even themselves; nothing differs from null, everything from NaN. A stored
    /// NaN is neither less nor greater than a number.
    package func matches(_ found: Value, _ dialect: Dialect) -> Bool {
        switch op {
        case .equal:
            if dialect == .backend, value.isNull || value.isNaN { return false }
            return found.typeOrder == value.typeOrder && found.compare(to: value) == 0
        case .notEqual:
            if dialect == .backend, value.isNull { return false }
            if dialect == .backend, value.isNaN { return !found.isNull }
            return !found.isNull && found.compare(to: value) != 0
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            if dialect == .backend, value.isNull || value.isNaN { return false }
            // A cache that counted NaN as less than a number would look up the document for ever.
            if found.isNaN, dialect == .backend || !value.isNaN { return false }
            guard found.typeOrder == value.typeOrder else { return false }
            return matchesInequality(found.compare(to: value))
        case .arrayContains:
            guard case .array(let elements) = found else { return false }
            return elements.contains { isListed($0, in: [value], dialect) }
        case .arrayContainsAny:
            guard case .array(let elements) = found, case .array(let wanted) = value else {
                return false
            }
            return elements.contains { element in isListed(element, in: wanted, dialect) }
        case .isIn:
            guard case .array(let wanted) = value else { return false }
            return isListed(found, in: wanted, dialect)
        case .isNotIn:
            guard case .array(let unwanted) = value, !unwanted.contains(where: \.isNull) else {
                return false
            }
            return !found.isNull && !isListed(found, in: unwanted, dialect)
        }
    }

    /// The backend drops null and NaN from every list.
    private func isListed(_ value: Value, in list: [Value], _ dialect: Dialect) -> Bool {
        list.contains { wanted in
            if dialect == .backend, wanted.isNull || wanted.isNaN { return false }
            return dialect.areEqual(wanted, value)
        }
    }

    /// Whether a cache and the backend agree about every document.
    fileprivate var isJudgedAlike: Bool {
        switch op {
        case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            !value.isNull && !value.isNaN
        case .arrayContains, .arrayContainsAny, .isIn, .isNotIn:
            field.isDocumentID || !value.mayEqualOtherwise
        }
    }

    private func matches(key: DocumentKey) -> Bool {
        func order(_ operand: Value) -> Int? {
            guard case .reference(let name) = operand else { return nil }
            return key.path.compare(to: name.path)
        }
        switch op {
        case .equal: return order(value) == 0
        case .notEqual: return order(value).map { $0 != 0 } ?? false
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            return order(value).map(matchesInequality) ?? false
        case .isIn:
            return value.arrayElements?.contains { order($0) == 0 } ?? false
        case .isNotIn:
            guard let unwanted = value.arrayElements, !unwanted.contains(where: \.isNull) else {
                return false
            }
            return !unwanted.contains { order($0) == 0 }
        case .arrayContains, .arrayContainsAny:
            return false
        }
    }

    private func matchesInequality(_ order: Int) -> Bool {
        switch op {
        case .lessThan: order < 0
        case .lessThanOrEqual: order <= 0
        case .greaterThan: order > 0
        case .greaterThanOrEqual: order >= 0
        case .equal, .notEqual, .arrayContains, .arrayContainsAny, .isIn, .isNotIn: false
        }
    }
}

extension FieldFilter.Operator {
    /// The operator's name in `google.firestore.v1`.
    package var wireName: String {
        switch self {
        case .lessThan: "LESS_THAN"
        case .lessThanOrEqual: "LESS_THAN_OR_EQUAL"
        case .greaterThan: "GREATER_THAN"
        case .greaterThanOrEqual: "GREATER_THAN_OR_EQUAL"
        case .equal: "EQUAL"
        case .notEqual: "NOT_EQUAL"
        case .arrayContains: "ARRAY_CONTAINS"
        case .arrayContainsAny: "ARRAY_CONTAINS_ANY"
        case .isIn: "IN"
        case .isNotIn: "NOT_IN"
        }
    }
}

extension Filter {
    /// Whether a cache and the backend agree about every document.
    ///
    /// They can disagree about numbers, null and NaN in lists, and about comparisons with null and
    /// NaN (`Dialect`). O(size of the filter).
    package var isJudgedAlike: Bool {
        switch self {
        case .field(let filter): filter.isJudgedAlike
        case .unary: true
        case .composite(let composite): composite.filters.allSatisfy(\.isJudgedAlike)
        }
    }
}

extension Value {
    /// Whether the dialects may hold different values equal to this one.
    fileprivate var mayEqualOtherwise: Bool {
        switch self {
        case .null, .integer, .double: true
        case .array(let elements): elements.contains(where: \.mayEqualOtherwise)
        case .map(let map): map.entries.contains { $0.value.mayEqualOtherwise }
        case .boolean, .timestamp, .serverTimestamp, .string, .bytes, .reference, .geoPoint: false
        }
    }
}
