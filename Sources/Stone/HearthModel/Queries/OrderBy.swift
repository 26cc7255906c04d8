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
