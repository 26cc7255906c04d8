/// One sort key of a query.
package struct OrderBy: Hashable, Sendable {
    /// Which way to sort.
    package enum Direction: Hashable, Sendable {
        case ascending, descending

        /// The other way.
        package var flipped: Direction { self == .ascending ? .descending : .ascending }
    }

    /// The field; `FieldPath.documentID` means the key.
    package let field: FieldPath
    /// Which way.
    package let direction: Direction

    /// Sorts by a field.
    package init(_ field: FieldPath, _ direction: Direction = .ascending) {
        self.field = field
        self.direction = direction
    }

    /// Orders two documents that both have the field: negative, zero or positive.
    package func compare(_ left: Document, _ right: Document) -> Int {
        guard field.isDocumentID else { return compare(left[field], right[field]) }
        let order = left.key.compare(to: right.key)
        return direction == .ascending ? order : -order
    }

    /// Orders two values of the field. An absent one comes first; a projection may have cut it away.
    func compare(_ left: Value?, _ right: Value?) -> Int {
        let order: Int
        switch (left, right) {
        case (let first?, let second?): order = first.compare(to: second)
        case (nil, .some): order = -1
        case (.some, nil): order = 1
        case (nil, nil): order = 0
        }
        return direction == .ascending ? order : -order
    }
}

/// The order of a query's results: its sort keys, ending with the document's key.
package struct DocumentOrder: Hashable, Sendable {
    /// The sort keys.
    package let orderBys: [OrderBy]

    /// Takes normalised sort keys.
    package init(_ orderBys: [OrderBy]) {
        precondition(
            orderBys.last?.field.isDocumentID ?? false, "An order that does not end with the key")
        self.orderBys = orderBys
    }

    /// By key alone.
    package static let byKey = DocumentOrder([OrderBy(.documentID)])

    /// Orders two documents: negative, zero only for one key, or positive.
    package func compare(_ left: Document, _ right: Document) -> Int {
        for orderBy in orderBys {
            let order = orderBy.compare(left, right)
            if order != 0 { return order }
        }
        return 0
    }

    /// Sorts documents. O(n log n), with each sort key looked up once for each document.
    package func sorted(_ documents: some Sequence<Document>) -> [Document] {
        let documents = Array(documents)
        let fields = orderBys.dropLast()  // All but the key.
        if fields.isEmpty { return documents.sorted { compare($0, $1) < 0 } }
        let values = documents.flatMap { document in fields.map { document[$0.field] } }
        let count = fields.count
        let places = documents.indices.sorted { left, right in
            for (offset, orderBy) in fields.enumerated() {
                let order = orderBy.compare(
                    values[left * count + offset], values[right * count + offset])
                if order != 0 { return order < 0 }
            }
            return compare(documents[left], documents[right]) < 0
        }
        return places.map { documents[$0] }
    }
}

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
