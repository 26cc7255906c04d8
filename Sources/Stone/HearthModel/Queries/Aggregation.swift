/// A number that the backend computes over a query's results.
package struct Aggregation: Hashable, Sendable {
    /// What is computed.
    package enum Operation: Hashable, Sendable {
        /// How many documents there are, counted no further than `upTo`.
        case count(upTo: Int64?)
        /// The sum of a field's numbers; 0 if there are none.
        case sum(FieldPath)
        /// The mean of a field's numbers; null if there are none.
        case average(FieldPath)
    }

    /// The name under which the answer gives it; empty lets the backend choose.
    package let alias: String
    /// What is computed.
    package let operation: Operation

    /// Computes a number and names it.
    package init(alias: String, operation: Operation) {
        self.alias = alias
        self.operation = operation
    }
}
