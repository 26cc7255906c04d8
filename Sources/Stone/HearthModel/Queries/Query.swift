/// What a user asks: documents of one collection or collection group, or one document.
package struct Query: Hashable, Sendable {
    /// How many results, and from which end.
    package struct Limit: Hashable, Sendable {
        /// Which end of the order counts.
        package enum End: Hashable, Sendable { case first, last }

        /// How many documents, 1 or more.
        package let count: Int
        /// Which end of the order counts.
        package let end: End

        /// Keeps `count` documents of one end.
        package init(_ count: Int, _ end: End = .first) {
            self.count = count
            self.end = end
        }
    }

    /// A collection's path, a document's, or for a group the path above it (usually the root).
    package let path: ResourcePath
    /// The collection id, if the query asks for all collections of that id below `path`.
    package var collectionGroup: String? { group?.string }
    /// The collection id as a name, if the query asks for a group.
    package let group: PathSegment?
    /// The conditions; all must hold.
    package var filters: [Filter] = [] {
        didSet { orderBys = normalisedOrderBys }
    }
    /// The sort keys that the user gave.
    package var explicitOrderBys: [OrderBy] = [] {
        didSet { orderBys = normalisedOrderBys }
    }
    /// The user's sort keys, then each inequality field not among them, then the key.
    ///
    /// What is added follows the direction of the user's last sort key. Kept, not computed, because
    /// matching asks for it with every document.
    package private(set) var orderBys = [OrderBy(.documentID)]
    /// How many, from which end.
    package var limit: Limit?
    /// Where the results start.
    package var startAt: Bound?
    /// Where the results end.
    package var endAt: Bound?

    /// Asks for a collection or, by an even path, for one document.
    package init(path: ResourcePath) {
        self.path = path
        self.group = nil
    }

    /// Asks for all collections with this id.
    package init(collectionGroup: PathSegment, below path: ResourcePath = .root) {
        self.path = path
        self.group = collectionGroup
    }

    /// Asks for one document.
    package init(document key: DocumentKey) {
        self.init(path: key.path)
    }

    /// The document, if the query asks for exactly one by its name.
    package var documentKey: DocumentKey? {
        collectionGroup == nil && filters.isEmpty ? DocumentKey(path) : nil
    }

    /// Whether every document of the collection matches, in key order.
    package var matchesAllDocuments: Bool {
        filters.isEmpty && limit == nil && startAt == nil && endAt == nil
            && (explicitOrderBys.isEmpty
                || (explicitOrderBys.count == 1 && explicitOrderBys[0].field.isDocumentID))
    }

    /// The fields compared by inequality, each once, in their order.
    package var inequalityFields: [FieldPath] {
        let fields = filters.flatMap(\.flattened).filter(\.isInequality).map(\.field)
        return Array(Set(fields)).sorted()
    }

    private var normalisedOrderBys: [OrderBy] {
        let implicit = explicitOrderBys.last?.direction ?? .ascending
        var result = explicitOrderBys
        for field in inequalityFields where !field.isDocumentID {
            if !explicitOrderBys.contains(where: { $0.field == field }) {
                result.append(OrderBy(field, implicit))
            }
        }
        if !explicitOrderBys.contains(where: \.field.isDocumentID) {
            result.append(OrderBy(.documentID, implicit))
        }
        return result
    }

    /// The order of the results.
    package var order: DocumentOrder {
        var keys = orderBys
        if let index = keys.firstIndex(where: \.field.isDocumentID) {
            keys.removeSubrange((index + 1)...)  // Nothing after the key can matter.
        }
        return DocumentOrder(keys)
    }

    /// The query without its limit.
    package var withoutLimit: Query {
        var query = self
        query.limit = nil
        return query
    }

    /// What the backend watches for this query. Mirror queries share one.
    package var target: Target { target(orderBys: orderBys) }

    /// What the backend aggregates for this query: its own sort keys only.
    package var aggregateTarget: Target { target(orderBys: explicitOrderBys) }

    private func target(orderBys: [OrderBy]) -> Target {
        let isFlipped = limit?.end == .last
        return Target(
            path: path,
            collectionGroup: group,
            filters: filters,
            orderBys: isFlipped
                ? orderBys.map { OrderBy($0.field, $0.direction.flipped) } : orderBys,
            limit: limit?.count,
            startAt: isFlipped ? endAt : startAt,
            endAt: isFlipped ? startAt : endAt)
    }

    /// A text that equal queries share. Different queries can share a text too.
    package var canonicalID: String {
        "\(target.canonicalID)|lt:\(limit?.end == .last ? "L" : "F")"
    }
}
