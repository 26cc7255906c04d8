import HearthModel

/// Timestamps and durations.
extension Evaluator {
    /// A span, if it is not too long.
    func duration(_ nanoseconds: Int128) throws(EvaluationError) -> RuleValue {
        guard let span = RuleDuration(nanoseconds: nanoseconds) else {
            throw EvaluationError("Duration is out of range.")
        }
        return .duration(span)
    }

    /// A moment, if Firestore can hold it.
    func timestamp(_ nanoseconds: Int128) throws(EvaluationError) -> RuleValue {
        guard let time = Timestamp(nanosecondsSince1970: nanoseconds) else {
            throw EvaluationError("Timestamp is out of range.")
        }
        return .timestamp(time)
    }

    /// A method of a moment.
    func method(
        _ name: String, of time: Timestamp, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        guard arguments.isEmpty else { throw .arguments(arguments.count, "timestamp.\(name)()") }
        let day: Int128 = 86_400_000_000_000
        let nanoseconds = time.nanosecondsSince1970
        let days = nanoseconds.flooredQuotient(by: day)
        let rest = Int64(nanoseconds - days * day)
        let date = CivilDate(days: Int64(days))
        switch name {
        case "year": return .integer(date.year)
        case "month": return .integer(date.month)
        case "day": return .integer(date.day)
        case "hours": return .integer(rest / 3_600_000_000_000)
        case "minutes": return .integer(rest / 60_000_000_000 % 60)
        case "seconds": return .integer(rest / 1_000_000_000 % 60)
        case "nanos": return .integer(rest % 1_000_000_000)
        case "dayOfWeek": return .integer(date.dayOfWeek)
        case "dayOfYear": return .integer(date.dayOfYear)
        case "toMillis": return .integer(Int64(nanoseconds.flooredQuotient(by: 1_000_000)))
        case "date": return try timestamp(days * day)
        case "time": return try duration(Int128(rest))
        default: throw .noFunction(name)
        }
    }

    /// A method of a span.
    func method(
        _ name: String, of span: RuleDuration, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        guard arguments.isEmpty else { throw .arguments(arguments.count, "duration.\(name)()") }
        switch name {
        case "seconds": return .integer(span.seconds)
        case "nanos": return .integer(span.nanosecondsOfSecond)
        default: throw .noFunction(name)
        }
    }

    /// A function of the namespace `timestamp`.
    func callTimestamp(
        _ name: String, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        switch (name, arguments.count) {
        case ("date", 3):
            guard case .integer(let year) = arguments[0], case .integer(let month) = arguments[1],
                case .integer(let day) = arguments[2]
            else { throw .unsupported("timestamp.date(\(arguments.typeNames))") }
            guard year >= 1, let date = CivilDate(year: year, month: month, day: day) else {
                throw EvaluationError(
                    "Date is not valid. year: \(year), month: \(month) day: \(day).")
            }
            return try timestamp(Int128(date.days) * 86_400_000_000_000)
        case ("value", 1):
            guard case .integer(let milliseconds) = arguments[0] else {
                throw .unsupported("timestamp.value(\(arguments.typeNames))")
            }
            return try timestamp(Int128(milliseconds) * 1_000_000)
        case ("date", _), ("value", _):
            throw .arguments(arguments.count, "timestamp.\(name)")
        default: throw .noFunction("timestamp.\(name)")
        }
    }

    /// A function of the namespace `duration`.
    func callDuration(
        _ name: String, _ arguments: [RuleValue]
    ) throws(EvaluationError) -> RuleValue {
        switch (name, arguments.count) {
        case ("value", 2):
            guard case .integer(let count) = arguments[0], case .string(let unit) = arguments[1]
            else { throw .unsupported("duration.value(\(arguments.typeNames))") }
            guard let nanoseconds = RuleDuration.unit(unit) else {
                throw EvaluationError("Unknown unit of a duration: \(unit).")
            }
            return try duration(Int128(count) * nanoseconds)
        case ("time", 4):
            let units: [Int128] = [3_600_000_000_000, 60_000_000_000, 1_000_000_000, 1]
            var total: Int128 = 0
            for (argument, unit) in zip(arguments, units) {
                guard case .integer(let count) = argument else {
                    throw .unsupported("duration.time(\(arguments.typeNames))")
                }
                total += Int128(count) * unit
            }
            return try duration(total)
        case ("abs", 1):
            guard case .duration(let span) = arguments[0] else {
                throw .unsupported("duration.abs(\(arguments.typeNames))")
            }
            return try duration(abs(span.nanoseconds))
        case ("value", _), ("time", _), ("abs", _):
            throw .arguments(arguments.count, "duration.\(name)")
        default: throw .noFunction("duration.\(name)")
        }
    }
}

extension EvaluationError {
    /// Another number of arguments than a function takes.
    static func arguments(_ count: Int, _ expected: String) -> EvaluationError {
        EvaluationError(
            "Incorrect number of arguments. Received: \(count). Expected: \(expected).")
    }
}

extension Array where Element == RuleValue {
    /// The types, as an error names them.
    var typeNames: String { map(\.typeName).joined(separator: ", ") }
}

extension Timestamp {
    /// Nanoseconds since 1970; negative before.
    var nanosecondsSince1970: Int128 { Int128(seconds) * 1_000_000_000 + Int128(nanoseconds) }

    /// Returns `nil` for a moment outside of the years that Firestore holds.
    init?(nanosecondsSince1970 nanoseconds: Int128) {
        let whole = nanoseconds.flooredQuotient(by: 1_000_000_000)
        guard let seconds = Int64(exactly: whole), Self.secondsRange.contains(seconds) else {
            return nil
        }
        self.init(
            seconds: seconds, nanoseconds: Int32(nanoseconds - whole * 1_000_000_000))
    }
}

extension Int128 {
    /// The quotient, rounded down.
    fileprivate func flooredQuotient(by divisor: Int128) -> Int128 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
