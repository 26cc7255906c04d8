import HearthEngine
package import HearthModel

/// A query without its values: what queries that differ only in values have in common.
///
/// Shape: the path with `*` for each document's id, then conditions, order and limit, in printable
/// ASCII: `rooms/*/messages where sender == ? order by sentAt desc limit 50`. Without values the ledger
/// has few rows, and names no document.
package struct QueryShape: Hashable, Sendable {
    /// The longest shape, in bytes; a longer one is cut.
    package static let byteCountMax = 200
    /// How many conditions and sort keys are written out.
    private static let partCountMax = 8
    /// How many parts of a path are written out: more than fit.
    private static let segmentCountMax = 64

    /// All shapes beyond the bounds of the ledger's tables, together.
    package static let others = QueryShape(stored: "others")
    /// What the daemon asks for itself.
    package static let markers = QueryShape(stored: "markers")

    /// The text.
    package let text: String

    /// Takes a shape back from a store.
    package init(stored text: String) {
        self.text = LedgerText.plain(text, byteCountMax: Self.byteCountMax)
    }

    /// The shape of a target.
    ///
    /// - Complexity: O(length of the path + conditions), however large the values are.
    package init(of target: Target) {
        var text = Self.path(target.path)
        if let group = target.collectionGroup { text += (text.isEmpty ? "" : "/") + "**/\(group)" }
        let conditions = target.filters.prefix(Self.partCountMax).map(Self.condition)
        if !conditions.isEmpty { text += " where " + conditions.joined(separator: " and ") }
        let keys = target.orderBys.prefix(Self.partCountMax).filter { !$0.field.isDocumentID }
        if !keys.isEmpty { text += " order by " + keys.map(Self.key).joined(separator: ", ") }
        if let limit = target.limit { text += " limit \(limit)" }
        self.init(stored: text)
    }

    /// The shape of a document that is read by name.
    package init(of key: DocumentKey) { self.init(stored: Self.path(key.path)) }

    /// The same, as a lookup of a document in limbo.
    package var asLookup: QueryShape { QueryShape(stored: text + " (lookup)") }

    /// The same, as an aggregation.
    package var asAggregation: QueryShape { QueryShape(stored: text + " (aggregation)") }

    private static func path(_ path: ResourcePath) -> String {
        path.string.utf8Parts("/", splitCountMax: segmentCountMax).prefix(segmentCountMax)
            .enumerated().map { $0.offset.isMultiple(of: 2) ? $0.element : "*" }
            .joined(separator: "/")
    }

    private static func condition(_ filter: Filter) -> String {
        switch filter {
        case .field(let filter): "\(filter.field) \(filter.op.rawValue) ?"
        case .unary(let filter): "\(filter.field) \(filter.comparison.op.rawValue) ?"
        case .composite(let filter):
            "(\(filter.filters.count) conditions, \(filter.op == .and ? "all" : "any"))"
        }
    }

    private static func key(_ order: OrderBy) -> String {
        "\(order.field)\(order.direction == .descending ? " desc" : "")"
    }
}
