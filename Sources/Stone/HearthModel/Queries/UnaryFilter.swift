/// A test for null or NaN, as the wire spells it.
package struct UnaryFilter: Hashable, Sendable {
    /// The tests.
    package enum Operator: Hashable, Sendable { case isNaN, isNull, isNotNaN, isNotNull }

    /// The field that is tested.
    package let field: FieldPath
    /// The test.
    package let op: Operator

    /// Tests a field.
    package init(field: FieldPath, op: Operator) {
        self.field = field
        self.op = op
    }

    /// The comparison that programmers write for the same test.
    package var comparison: FieldFilter {
        switch op {
        case .isNaN: FieldFilter(field: field, op: .equal, value: .double(.nan))
        case .isNull: FieldFilter(field: field, op: .equal, value: .null)
        case .isNotNaN: FieldFilter(field: field, op: .notEqual, value: .double(.nan))
        case .isNotNull: FieldFilter(field: field, op: .notEqual, value: .null)
        }
    }

    func matches(_ document: Document) -> Bool {
        guard let value = document[field] else { return false }
        return switch op {
        case .isNaN: value.isNaN
        case .isNull: value.isNull
        case .isNotNaN: !value.isNaN && !value.isNull
        case .isNotNull: !value.isNull
        }
    }
}
