package import HearthModel

/// Computes numbers over documents as the backend would.
///
/// A document that lacks a field of any sum or mean counts in no number, not even in a number whose
/// own field the document has. The backend answers from an index over all those fields.
package struct AggregateComputation: Sendable {
    /// A document counts only if it has all of these fields.
    package let fields: [FieldPath]
    /// How many documents were added.
    package private(set) var documentCount = 0
    private let aggregations: [Aggregation]
    /// For each aggregation the sum of its numbers; of a count, nothing.
    private var sums: [NumberSum]

    /// Computes these, so far over no document.
    package init(_ aggregations: [Aggregation]) {
        self.aggregations = aggregations
        fields = aggregations.compactMap(\.operation.field)
        sums = aggregations.map { _ in NumberSum() }
    }

    /// Whether a document counts at all.
    package func counts(_ document: Document) -> Bool {
        fields.allSatisfy { document[$0] != nil }
    }

    /// Adds a document that counts. O(numbers).
    package mutating func add(_ document: Document) {
        documentCount += 1
        for (index, aggregation) in aggregations.enumerated() {
            guard let value = aggregation.operation.field.flatMap({ document[$0] }) else {
                continue
            }
            sums[index].add(value)
        }
    }

    /// The numbers by their aliases.
    package var values: MapValue {
        MapValue(
            zip(aggregations, sums).map { aggregation, sum in
                switch aggregation.operation {
                case .count(let most):
                    (aggregation.alias, .integer(min(Int64(documentCount), most ?? .max)))
                case .sum: (aggregation.alias, sum.value)
                case .average: (aggregation.alias, sum.mean)
                }
            })
    }
}

extension Aggregation.Operation {
    /// The field whose numbers are added up, if any is.
    fileprivate var field: FieldPath? {
        switch self {
        case .count: nil
        case .sum(let field), .average(let field): field
        }
    }
}
