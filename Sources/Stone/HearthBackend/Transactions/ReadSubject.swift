package import HearthModel

/// The documents or the query that a read looks at, and that a pessimistic transaction locks.
package enum ReadSubject: Sendable {
    /// Documents by name.
    case documents([DocumentKey])
    /// All that a query could ever find.
    case query(QueryPlan)
    /// All that a query for nearest neighbours could ever find.
    case nearest(QueryPlan, NearestNeighbours)
    /// Nothing that could be locked.
    case nothing

    /// The query, if one is asked.
    var plan: QueryPlan? {
        switch self {
        case .query(let plan), .nearest(let plan, _): plan
        case .documents, .nothing: nil
        }
    }

    /// The question for nearest neighbours, if it is one.
    var nearest: NearestNeighbours? {
        if case .nearest(_, let nearest) = self { return nearest }
        return nil
    }
}
