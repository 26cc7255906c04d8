/// Where a query starts or ends: values for a prefix of its sort keys.
package struct Bound: Hashable, Sendable {
    /// A value for each of the first sort keys; for the key a reference.
    package let position: [Value]
    /// Whether the position itself is part of the result.
    package let isInclusive: Bool

    /// Cuts at a position.
    package init(_ position: [Value], isInclusive: Bool) {
        self.position = position
        self.isInclusive = isInclusive
    }

    /// Whether a start at this bound lets the document in.
    package func admitsAsStart(_ document: Document, orderBys: [OrderBy]) -> Bool {
        let order = compare(to: document, orderBys: orderBys)
        return isInclusive ? order <= 0 : order < 0
    }

    /// Whether an end at this bound lets the document in.
    package func admitsAsEnd(_ document: Document, orderBys: [OrderBy]) -> Bool {
        let order = compare(to: document, orderBys: orderBys)
        return isInclusive ? order >= 0 : order > 0
    }

    /// Negative if the position comes before the document.
    private func compare(to document: Document, orderBys: [OrderBy]) -> Int {
        for (value, orderBy) in zip(position, orderBys) {
            let order: Int
            if orderBy.field.isDocumentID {
                guard case .reference(let name) = value else { return -1 }
                order = name.path.compare(to: document.key.path)
            } else {
                guard let found = document[orderBy.field] else { return -1 }
                order = value.compare(to: found)
            }
            if order != 0 { return orderBy.direction == .ascending ? order : -order }
        }
        return 0
    }
}
