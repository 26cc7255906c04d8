/// Why an expression has no value.
struct EvaluationError: Error, Hashable, Sendable {
    /// What happened, in the words of Google's emulator where the emulator has words for the case.
    let reason: String
    /// Whether no operator may go on from here: a limit is reached.
    let isFinal: Bool

    init(_ reason: String, isFinal: Bool = false) {
        self.reason = reason
        self.isFinal = isFinal
    }

    /// Nothing is known by this name, or the query does not tell.
    static let nullValue = EvaluationError("Null value error.")
    /// What the query's filters tell is not enough.
    static let undetermined = EvaluationError("The query does not prove the condition.")
    /// The values are too large.
    static let tooMuchWork = EvaluationError(
        "Unable to evaluate the expression as its values are too large.", isFinal: true)
    /// A sum or product does not fit.
    static let outOfRange = EvaluationError(
        "Integer value is out of the [-9223372036854775808, 9223372036854775807] range.")

    /// An operator or function that these types do not have.
    static func unsupported(_ received: String) -> EvaluationError {
        EvaluationError("Unsupported operation error. Received: \(received).")
    }

    /// A function that does not exist.
    static func noFunction(_ name: String) -> EvaluationError {
        EvaluationError("Function not found error: Name: [\(name)].")
    }

    /// A member that an object does not have.
    static func noProperty(_ name: String) -> EvaluationError {
        EvaluationError("Property \(name) is undefined on object.")
    }

    /// A value of another type than is needed.
    static func type(_ value: RuleValue, expected: String) -> EvaluationError {
        EvaluationError("Type error. Received: [\(value.typeName)] Expected: [\(expected)].")
    }

    /// A place outside of a list.
    static func outOfBounds(_ index: Int64, size: Int) -> EvaluationError {
        EvaluationError("Index out of bound error. Index: [\(index)] , size: [\(size)].")
    }
}
