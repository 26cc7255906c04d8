/// Numbers as the Realtime Database's rules count: as JavaScript does, but that nothing is divided by zero.
enum RealtimeMath {
    /// Whether a number is less than another; `nil` if they cannot be compared. Exact, however large.
    static func precedes(_ left: RealtimeRuleValue, _ right: RealtimeRuleValue) -> Bool? {
        switch (left, right) {
        case (.integer(let one), .integer(let other)): return one < other
        case (.integer(let one), .double(let other)):
            if other.isNaN { return nil }
            // Rounded up, a whole number is less than it if it is less than the number.
            if other >= 0x1p63 { return true }
            return other < -0x1p63 ? false : one < Int64(other.rounded(.up))
        case (.double(let one), .integer(let other)):
            if one.isNaN { return nil }
            if one >= 0x1p63 { return false }
            return one < -0x1p63 ? true : Int64(one.rounded(.down)) < other
        case (.double(let one), .double(let other)):
            return one.isNaN || other.isNaN ? nil : one < other
        default: return nil
        }
    }

    /// Does one of `+ - * / %`. Whole numbers stay exact as long as they fit.
    static func apply(
        _ op: RealtimeOperator, _ left: RealtimeRuleValue, _ right: RealtimeRuleValue
    ) throws(EvaluationError) -> RealtimeRuleValue {
        guard let first = left.number, let second = right.number else {
            throw EvaluationError(
                "\"\(op.rawValue)\" needs numbers, and is given \(left.typeName) and "
                    + right.typeName)
        }
        if case .integer(let one) = left, case .integer(let other) = right,
            let exact = exact(op, one, other)
        {
            return .integer(exact)
        }
        switch op {
        case .add: return .double(first + second)
        case .subtract: return .double(first - second)
        case .multiply: return .double(first * second)
        case .divide: return .double(second == 0 ? .nan : first / second)
        case .remainder: return .double(first.truncatingRemainder(dividingBy: second))
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            preconditionFailure("\(op) makes no number")
        }
    }

    private static func exact(_ op: RealtimeOperator, _ one: Int64, _ other: Int64) -> Int64? {
        let result: (partialValue: Int64, overflow: Bool)
        switch op {
        case .add: result = one.addingReportingOverflow(other)
        case .subtract: result = one.subtractingReportingOverflow(other)
        case .multiply: result = one.multipliedReportingOverflow(by: other)
        case .remainder: result = one.remainderReportingOverflow(dividingBy: other)
        case .divide, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            return nil
        }
        return result.overflow ? nil : result.partialValue
    }

    /// A number as JavaScript writes it.
    ///
    /// - Source: ECMA-262, Number::toString.
    static func text(of number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        if number == 0 { return "0" }
        let sign = number < 0 ? "-" : ""
        let (digits, power) = RuleMath.digits(of: abs(number))
        let count = digits.utf8.count
        if power >= 21 || power < -6 {
            let rest = digits.dropFirst()
            let fraction = rest.isEmpty ? "" : ".\(rest)"
            return "\(sign)\(digits.prefix(1))\(fraction)e\(power < 0 ? "-" : "+")\(abs(power))"
        }
        if power < 0 { return "\(sign)0.\(String(repeating: "0", count: -power - 1))\(digits)" }
        if count <= power + 1 {
            return sign + digits + String(repeating: "0", count: power + 1 - count)
        }
        return "\(sign)\(digits.prefix(power + 1)).\(digits.dropFirst(power + 1))"
    }
}
