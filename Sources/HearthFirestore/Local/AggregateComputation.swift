import HearthModel

/// Computes numbers over documents as the backend would.
///
/// A document that lacks a field of any sum or mean counts nowhere, not even where it has all that
/// is asked about: the backend answers from an index over all those fields.
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
            return Sum(of: field, documents).value
        case .average(let field):
            let sum = Sum(of: field, documents)
            return sum.count == 0 ? .null : .double(sum.total / Double(sum.count))
        }
    }

    /// A sum: exact while all are integers and it fits, else a double.
    private struct Sum {
        var count = 0
        private var whole: Int64? = 0
        private var inexact = 0.0

        init(of field: FieldPath, _ documents: [Document]) {
            for document in documents {
                switch document[field] {
                case .integer(let number)?: add(Double(number), whole: number)
                case .double(let number)?: add(number, whole: nil)
                case .null?, .boolean?, .timestamp?, .serverTimestamp?, .string?, .bytes?,
                    .reference?, .geoPoint?, .array?, .map?, nil:
                    break  // What is no number is left out.
                }
            }
        }

        /// The sum as a value.
        var value: Value { whole.map { .integer($0) } ?? .double(inexact) }

        /// The sum as a double.
        var total: Double { whole.map { Double($0) } ?? inexact }

        private mutating func add(_ number: Double, whole next: Int64?) {
            count += 1
            inexact += number
            guard let sum = whole, let next else {
                whole = nil
                return
            }
            let (result, hasOverflown) = sum.addingReportingOverflow(next)
            whole = hasOverflown ? nil : result
        }
    }
}
