/// A sum of numbers, the same in whatever order they come, as long as no part of it is infinite.
///
/// Whole numbers are added exactly. Of fractions, what each addition rounds away is kept beside the sum
/// (Neumaier's summation), so that ten times 0.1 is 1.
package struct NumberSum: Sendable {
    /// How many numbers were added.
    package private(set) var count = 0
    private var whole: Int128 = 0
    private var hasFractions = false
    private var fractions = 0.0
    private var lost = 0.0

    /// The sum of nothing, a whole 0.
    package init() {}

    /// The sum of the numbers among values; what is no number is left out.
    package init(of values: some Sequence<Value>) {
        for value in values { add(value) }
    }

    /// Adds a number; what is none is left out.
    package mutating func add(_ value: Value) {
        switch value {
        case .integer(let number):
            count += 1
            whole += Int128(number)
        case .double(let number):
            count += 1
            hasFractions = true
            (fractions, lost) = Self.sum(fractions, number, lost)
        case .null, .boolean, .timestamp, .serverTimestamp, .string, .bytes, .reference, .geoPoint,
            .array, .map:
            break
        }
    }

    /// The sum: an integer if all were and it fits, else a double.
    package var value: Value {
        if !hasFractions, let number = Int64(exactly: whole) { return .integer(number) }
        return .double(total)
    }

    /// The mean as a double; null if there is no number.
    package var mean: Value {
        count == 0 ? .null : .double(total / Double(count))
    }

    private var total: Double {
        guard hasFractions else { return Double(whole) }
        let (sum, rest) = Self.sum(fractions, Double(whole), lost)
        return sum.isFinite ? sum + rest : sum
    }

    /// The sum of two numbers, and `lost` with what this addition rounds away.
    private static func sum(_ a: Double, _ b: Double, _ lost: Double) -> (Double, Double) {
        let sum = a + b
        let rest = a.magnitude >= b.magnitude ? (a - sum) + b : (b - sum) + a
        return (sum, sum.isFinite ? lost + rest : lost)
    }
}
