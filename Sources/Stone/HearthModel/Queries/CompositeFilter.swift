/// All, or one, of several conditions.
package struct CompositeFilter: Hashable, Sendable {
    /// How the conditions are joined.
    package enum Operator: Hashable, Sendable { case and, or }

    /// How the conditions are joined.
    package let op: Operator
    /// The conditions. Never empty in a valid query.
    package let filters: [Filter]

    /// Joins conditions.
    package init(op: Operator, filters: [Filter]) {
        self.op = op
        self.filters = filters
    }

    func matches(_ document: Document, _ dialect: Dialect) -> Bool {
        switch op {
        case .and: filters.allSatisfy { $0.matches(document, dialect) }
        case .or: filters.contains { $0.matches(document, dialect) }
        }
    }

    /// Whether the composite is an AND without nested composites, which means the same as its list.
    package var isFlatConjunction: Bool {
        op == .and
            && filters.allSatisfy {
                switch $0 {
                case .field, .unary: true
                case .composite: false
                }
            }
    }
}
