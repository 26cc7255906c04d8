import HearthModel

/// A number to be computed over the results of a query.
public struct AggregateField: Hashable, Sendable {
    enum Operation: Hashable, Sendable {
        case count
        case sum(HearthModel.FieldPath)
        case average(HearthModel.FieldPath)
        /// The field's name could not be read. The request for the number throws the error.
        case invalid(FirestoreError)
    }

    let operation: Operation

    /// How many documents there are.
    public static func count() -> AggregateField {
        AggregateField(operation: .count)
    }

    /// The sum of a field's numbers: an integer if all numbers are integers and the sum fits into
    /// 64 bits, else a double.
    public static func sum(_ field: some FieldName) -> AggregateField {
        AggregateField(field) { .sum($0) }
    }

    /// The mean of a field's numbers; null if the field holds no number in any result.
    public static func average(_ field: some FieldName) -> AggregateField {
        AggregateField(field) { .average($0) }
    }

    private init(operation: Operation) {
        self.operation = operation
    }

    private init(_ field: some FieldName, _ operation: (HearthModel.FieldPath) -> Operation) {
        do throws(FirestoreError) {
            self.operation = operation(try field.modelPath())
        } catch {
            self.operation = .invalid(error)
        }
    }

    /// The number as the daemon is asked for it.
    func aggregation(alias: String) throws(FirestoreError) -> Aggregation {
        switch operation {
        case .count: Aggregation(alias: alias, operation: .count(upTo: nil))
        case .sum(let field): Aggregation(alias: alias, operation: .sum(field))
        case .average(let field): Aggregation(alias: alias, operation: .average(field))
        case .invalid(let error): throw error
        }
    }
}

/// Where numbers over the results of a query are computed.
public enum AggregateSource: Hashable, Sendable {
    /// In the backend if the daemon can reach the backend, else from the machine's cache.
    case `default`
    /// In the backend alone.
    case server
    /// From the machine's cache alone, with local writes; answered at once.
    case cache
}
