package import HearthModel

/// How production would find the results.
extension QueryPlan {
    /// Whether one collection is asked, or all of an id.
    package var scopeName: String {
        switch scope {
        case .collection, .children: "Collection"
        case .group, .everything: "Collection group"
        }
    }

    /// The index that serves the query, such as `a ASC, __name__ ASC`.
    ///
    /// - Parameters:
    ///   - fields: Further fields that the index must hold.
    ///   - vector: A field of vectors, which comes last, and their length.
    package func indexText(
        with fields: [FieldPath], vector: (field: FieldPath, count: Int)?
    ) -> String {
        var parts: [String] = []
        var seen: Set<FieldPath> = []
        let filtered = (filter?.flattened ?? []).map { filter in
            let isArray = filter.op == .arrayContains || filter.op == .arrayContainsAny
            return (filter.field, isArray ? "array_contains" : "ASC")
        }
        let sorted = orderBys.map { ($0.field, $0.direction == .ascending ? "ASC" : "DESC") }
        let sortedFields = Set(orderBys.map(\.field))
        for (field, direction) in filtered
        where !sortedFields.contains(field) && seen.insert(field).inserted {
            parts.append("\(field) \(direction)")
        }
        for field in fields where !sortedFields.contains(field) && seen.insert(field).inserted {
            parts.append("\(field) ASC")
        }
        for (field, direction) in sorted where seen.insert(field).inserted {
            parts.append("\(field) \(direction)")
        }
        if let vector { parts.append("\(vector.field) VECTOR<\(vector.count)>") }
        return parts.joined(separator: ", ")
    }
}
