import HearthModel

/// Operators, members, places and types.
extension Evaluator {
    mutating func apply(
        _ op: Expression.Operator, _ left: RuleValue, _ right: RuleValue
    ) throws(EvaluationError) -> RuleValue {
        switch op {
        case .equal:
            // As in Google's emulator, filters prove that a field is not a value only by `!=`.
            if let filters = left.constraint ?? right.constraint {
                let other = left.constraint == nil ? left : right
                guard try filters.prove(equal: other, &work) else { throw .undetermined }
                return .boolean(true)
            }
            return .boolean(try left.equals(right, &work))
        case .notEqual: return .boolean(try !left.equals(right, &work))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return .boolean(try compare(op, left, right))
        case .isIn: return .boolean(try isIn(left, right))
        case .add, .subtract, .multiply, .divide, .remainder:
            return try compute(op, left, right)
        }
    }

    private mutating func compare(
        _ op: Expression.Operator, _ left: RuleValue, _ right: RuleValue
    ) throws(EvaluationError) -> Bool {
        if case .constraint(let filters) = left {
            guard filters.prove(op, right) else { throw .undetermined }
            return true
        }
        if case .constraint = right { return try compare(op.mirrored, right, left) }
        if left.isNaN || right.isNaN, left.isNumber, right.isNumber { return false }
        guard let order = left.order(right) else {
            throw .unsupported("\(left.typeName) \(op.rawValue) \(right.typeName)")
        }
        switch op {
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        default: return order >= 0
        }
    }

    private mutating func isIn(
        _ left: RuleValue, _ right: RuleValue
    ) throws(EvaluationError) -> Bool {
        switch right {
        case .list(let elements), .set(let elements):
            if case .constraint(let filters) = left {
                if elements.allSatisfy({ filters.exclude($0, ofAnyType: true) }) { return false }
                throw .undetermined
            }
            return try elements.holds(left, isSet: right.isSet, &work)
        case .map(let map):
            guard case .string(let key) = left else {
                throw .unsupported("map.in(\(left.typeName))")
            }
            if map[key] != nil { return true }
            if map.isOpen { throw .undetermined }
            return false
        case .constraint(let filters):
            if try filters.heldElements.holds(left, &work) { return true }
            throw .undetermined
        case .null, .boolean, .integer, .float, .string, .bytes, .timestamp, .duration, .latlng,
            .path, .vector, .mapDiff:
            throw .noFunction("in")
        }
    }

    private mutating func compute(
        _ op: Expression.Operator, _ left: RuleValue, _ right: RuleValue
    ) throws(EvaluationError) -> RuleValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)):
            return .integer(try compute(op, left, right))
        case (.float(let left), .float(let right)): return .float(compute(op, left, right))
        case (.integer(let left), .float(let right)):
            return .float(compute(op, Double(left), right))
        case (.float(let left), .integer(let right)):
            return .float(compute(op, left, Double(right)))
        case (.string(let left), .string(let right)) where op == .add:
            try spend(left.utf8.count + right.utf8.count)
            return .string(left + right)
        case (.duration(let left), .duration(let right)) where op == .add:
            return try duration(left.nanoseconds + right.nanoseconds)
        case (.duration(let left), .duration(let right)) where op == .subtract:
            return try duration(left.nanoseconds - right.nanoseconds)
        case (.timestamp(let left), .timestamp(let right)) where op == .subtract:
            return try duration(left.nanosecondsSince1970 - right.nanosecondsSince1970)
        case (.timestamp(let time), .duration(let span)) where op == .add,
            (.duration(let span), .timestamp(let time)) where op == .add:
            return try timestamp(time.nanosecondsSince1970 + span.nanoseconds)
        case (.timestamp(let time), .duration(let span)) where op == .subtract:
            return try timestamp(time.nanosecondsSince1970 - span.nanoseconds)
        default:
            throw .unsupported("\(left.typeName) \(op.rawValue) \(right.typeName)")
        }
    }

    private func compute(
        _ op: Expression.Operator, _ left: Int64, _ right: Int64
    ) throws(EvaluationError) -> Int64 {
        let (result, isOverflow): (Int64, Bool)
        switch op {
        case .add: (result, isOverflow) = left.addingReportingOverflow(right)
        case .subtract: (result, isOverflow) = left.subtractingReportingOverflow(right)
        case .multiply: (result, isOverflow) = left.multipliedReportingOverflow(by: right)
        default:
            guard right != 0 else { throw EvaluationError("Divide by zero error.") }
            (result, isOverflow) =
                op == .divide
                ? left.dividedReportingOverflow(by: right)
                : left.remainderReportingOverflow(dividingBy: right)
        }
        if isOverflow { throw .outOfRange }
        return result
    }

    private func compute(_ op: Expression.Operator, _ left: Double, _ right: Double) -> Double {
        switch op {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        default: left.truncatingRemainder(dividingBy: right)
        }
    }

    func negated(_ value: RuleValue) throws(EvaluationError) -> RuleValue {
        switch value {
        case .integer(let number):
            guard number != .min else { throw .outOfRange }
            return .integer(-number)
        case .float(let number): return .float(-number)
        case .duration(let span): return try duration(-span.nanoseconds)
        default: throw .unsupported("-\(value.typeName)")
        }
    }

    func isType(_ name: String, _ value: RuleValue) throws(EvaluationError) -> Bool {
        switch value {
        case .constraint:
            guard utf8Equals(name, value.typeName) else { throw .undetermined }
            return true
        case .integer, .float: return name == "number" || utf8Equals(value.typeName, name)
        default: return utf8Equals(value.typeName, name)
        }
    }

    func member(_ name: String, of base: RuleValue) throws(EvaluationError) -> RuleValue {
        switch base {
        case .map(let map):
            guard let value = map[name] else { throw .noProperty(name) }
            return value
        case .null: throw .nullValue
        case .path: throw .noProperty(name)
        default: throw .type(base, expected: "map,path")
        }
    }

    func element(_ place: RuleValue, of base: RuleValue) throws(EvaluationError) -> RuleValue {
        switch (base, place) {
        case (.map, .string(let name)): return try member(name, of: base)
        case (.list(let elements), .integer(let index)):
            return elements[try checked(index, elements.count)]
        case (.path(let path), .integer(let index)):
            return .string(path.segments[try checked(index, path.segments.count)].string)
        case (.string(let text), .integer(let index)):
            let units = Array(text.utf16)
            return .string(Self.text(units[try checked(index, units.count)...].prefix(1)))
        case (.null, _): throw .nullValue
        case (.path, .string(let name)): throw .noProperty(name)
        case (.map, _), (.list, _), (.path, _), (.string, _):
            throw .unsupported("\(base.typeName)[\(place.typeName)]")
        default: throw .noFunction("[]")
        }
    }

    mutating func range(
        _ start: Expression?, _ end: Expression?, of base: RuleValue, _ scope: EvaluationScope
    ) throws(EvaluationError) -> RuleValue {
        switch base {
        case .list(let elements):
            let range = try range(start, end, elements.count, scope)
            try spend(range.count)
            return .list(Array(elements[range]))
        case .path(let path):
            let range = try range(start, end, path.segments.count, scope)
            return .path(RulePath(path.segments[range].map(\.string)))
        case .string(let text):
            let units = Array(text.utf16)
            try spend(units.count)
            return .string(Self.text(units[try range(start, end, units.count, scope)]))
        default: throw .noFunction("@range")
        }
    }

    private mutating func range(
        _ start: Expression?, _ end: Expression?, _ count: Int, _ scope: EvaluationScope
    ) throws(EvaluationError) -> Range<Int> {
        var from: Int64 = 0
        var to = Int64(count)
        if let start { from = try bound(start, scope) }
        if let end { to = try bound(end, scope) }
        guard from <= to else {
            throw EvaluationError(
                "Illegal range error. From index: [\(from)] , To index: [\(to)].")
        }
        // A bound that is written down must be at an element, even if the range is empty.
        if start != nil { _ = try checked(from, count) }
        if end != nil { _ = try checked(to - 1, count) }
        return Int(from)..<Int(to)
    }

    private mutating func bound(
        _ expression: Expression, _ scope: EvaluationScope
    ) throws(EvaluationError) -> Int64 {
        let value = try value(expression, scope)
        guard case .integer(let number) = value else { throw .type(value, expected: "int") }
        return number
    }

    private func checked(_ index: Int64, _ count: Int) throws(EvaluationError) -> Int {
        guard index >= 0, index < count else { throw .outOfBounds(index, size: count) }
        return Int(index)
    }

    /// Places in a text count units of UTF-16, as in production.
    private static func text(_ units: ArraySlice<UInt16>) -> String {
        String(decoding: units, as: UTF16.self)
    }
}

extension Expression.Operator {
    /// The same relation seen from the other side.
    fileprivate var mirrored: Expression.Operator {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}

extension RuleValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .float: true
        default: false
        }
    }

    fileprivate var isSet: Bool {
        if case .set = self { return true }
        return false
    }

    fileprivate var isNaN: Bool {
        if case .float(let number) = self { return number.isNaN }
        return false
    }
}
