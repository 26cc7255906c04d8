import HearthModel

/// Computes numbers over documents as the backend would.
///
/// A document that lacks a field of any sum or mean counts in no number, not even in a number whose
/// own field the document has. The backend answers from an index over all those fields.
struct AggregateComputation {
    private let aggregations: [Aggregation]
    private let fields: [FieldPath]

    /// Computes these.
    init(_ aggregations: [Aggregation]) {
        self.aggregations = aggregations
        fields = aggregations.compactMap { aggregation in
            switch aggregation.operation {
            case .count: nil
            case .sum(let field), .average(let field): field
            }
        }
    }

    /// Whether a document counts at all.
    func counts(_ document: Document) -> Bool {
        fields.allSatisfy { document[$0] != nil }
    }

    /// The numbers by their aliases, over documents that count. O(n).
    func values(of documents: [Document]) -> MapValue {
        MapValue(aggregations.map { ($0.alias, Self.value(of: $0.operation, documents)) })
    }

    private static func value(
        of operation: Aggregation.Operation, _ documents: [Document]
    ) -> Value {
        switch operation {
        case .count(let most):
            return .integer(min(Int64(documents.count), most ?? .max))
        case .sum(let field):
            return NumberSum(of: documents.lazy.compactMap { $0[field] }).value
        case .average(let field):
            return NumberSum(of: documents.lazy.compactMap { $0[field] }).mean
        }
    }
}
