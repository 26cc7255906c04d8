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
