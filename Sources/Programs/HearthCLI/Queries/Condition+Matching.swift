import Hearth

/// Conditions on what a command prints, such as the fields of `queue list --json`.
extension Condition {
    /// Whether an object's field compares so. A field that is missing, or of another kind than the
    /// operand, meets `!=` and `not-in` alone.
    func holds(for object: ValueLiteral) -> Bool {
        let value = field.names.reduce(Optional(object)) { $0?[$1] } ?? .null
        switch comparison {
        case .isEqual: return Self.equal(value, operand)
        case .isNotEqual: return !Self.equal(value, operand)
        case .isLess: return Self.order(value, operand).map { $0 < 0 } ?? false
        case .isLessOrEqual: return Self.order(value, operand).map { $0 <= 0 } ?? false
        case .isGreater: return Self.order(value, operand).map { $0 > 0 } ?? false
        case .isGreaterOrEqual: return Self.order(value, operand).map { $0 >= 0 } ?? false
        case .isIn: return Self.contains(operand, value)
        case .isNotIn: return !Self.contains(operand, value)
        case .contains: return Self.contains(value, operand)
        case .containsAny:
            return (operand.elements ?? []).contains { Self.contains(value, $0) }
        }
    }

    private static func contains(_ array: ValueLiteral, _ element: ValueLiteral) -> Bool {
        (array.elements ?? []).contains { equal($0, element) }
    }

    private static func equal(_ first: ValueLiteral, _ second: ValueLiteral) -> Bool {
        order(first, second).map { $0 == 0 } ?? (first == second)
    }

    /// Below, at or above 0, as numbers or as bytes; `nil` if they cannot be compared.
    private static func order(_ first: ValueLiteral, _ second: ValueLiteral) -> Int? {
        if case .integer(let first) = first, case .integer(let second) = second {
            return first < second ? -1 : first > second ? 1 : 0
        }
        if let first = first.number, let second = second.number {
            return first < second ? -1 : first > second ? 1 : first == second ? 0 : nil
        }
        guard let first = first.bytesForOrder, let second = second.bytesForOrder else { return nil }
        if first.elementsEqual(second) { return 0 }
        return first.lexicographicallyPrecedes(second) ? -1 : 1
    }
}

extension ValueLiteral {
    /// What text is compared by. A time is compared as the text that reports print.
    fileprivate var bytesForOrder: [UInt8]? {
        switch self {
        case .string(let text): Array(text.utf8)
        case .timestamp(let time): Array(time.description.utf8)
        case .null, .boolean, .integer, .double, .bytes, .reference, .geoPoint, .vector, .array,
            .map, .order:
            nil
        }
    }
}
