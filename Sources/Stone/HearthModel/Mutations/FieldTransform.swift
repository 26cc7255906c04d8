/// A change of one field whose result depends on the field's value or on the time of the commit.
package struct FieldTransform: Hashable, Sendable {
    /// The changes.
    package enum Operation: Hashable, Sendable {
        /// Becomes the time of the commit.
        case serverTimestamp
        /// Adds a number.
        case increment(Value)
        /// Becomes the greater of two numbers.
        case maximum(Value)
        /// Becomes the smaller of two numbers.
        case minimum(Value)
        /// Appends the elements that are missing.
        case arrayUnion([Value])
        /// Removes all elements that are listed.
        case arrayRemove([Value])
    }

    /// The field.
    package let field: FieldPath
    /// The change.
    package let operation: Operation

    /// Changes a field.
    package init(field: FieldPath, operation: Operation) {
        self.field = field
        self.operation = operation
    }
}

extension FieldTransform.Operation {
    /// What the field shows here until the backend has spoken.
    package func localResult(previous: Value?, writtenAt: Timestamp) -> Value {
        switch self {
        case .serverTimestamp:
            .serverTimestamp(
                PendingServerTimestamp(localWriteTime: writtenAt, previousValue: previous))
        case .increment, .maximum, .minimum, .arrayUnion, .arrayRemove:
            computed(previous: previous, .cache)
        }
    }

    /// What the field became, given the backend's answer. Arrays are computed again, because the
    /// backend answers null for them.
    package func acknowledgedResult(previous: Value?, answer: Value) -> Value {
        switch self {
        case .arrayUnion, .arrayRemove: computed(previous: previous, .cache)
        case .serverTimestamp, .increment, .maximum, .minimum: answer
        }
    }

    /// What the backend makes of the field, with one time for the whole commit.
    package func committedResult(previous: Value?, commitTime: Timestamp) -> Value {
        switch self {
        case .serverTimestamp: .timestamp(commitTime)
        case .increment, .maximum, .minimum, .arrayUnion, .arrayRemove:
            computed(previous: previous, .backend)
        }
    }

    /// The base value to store beside a write; `nil` if the write is idempotent.
    ///
    /// A write that is not idempotent gives the same result again if computed from the base value.
    package func baseValue(previous: Value?) -> Value? {
        guard case .increment = self else { return nil }
        if let previous, previous.isNumber { return previous }
        return .integer(0)
    }

    private func computed(previous: Value?, _ dialect: Dialect) -> Value {
        switch self {
        case .serverTimestamp:
            preconditionFailure("A server timestamp cannot be computed from a value")
        case .increment(let operand):
            Self.sum(previous, operand)
        case .maximum(let operand):
            Self.extreme(previous, operand) { $0 > 0 }
        case .minimum(let operand):
            Self.extreme(previous, operand) { $0 < 0 }
        case .arrayUnion(let elements):
            .array(Self.union(previous?.arrayElements ?? [], elements, dialect))
        case .arrayRemove(let elements):
            .array(Self.difference(previous?.arrayElements ?? [], elements, dialect))
        }
    }

    /// Up to so many comparisons cost less than hashing the elements.
    private static let comparisonCountMax = 64

    private static func union(_ present: [Value], _ added: [Value], _ dialect: Dialect) -> [Value] {
        var result = present
        if (present.count + added.count) * added.count <= comparisonCountMax {
            for element in added where !result.contains(where: { dialect.areEqual($0, element) }) {
                result.append(element)
            }
        } else {
            var known = ElementSet(present, dialect)
            for element in added where known.insert(element) { result.append(element) }
        }
        return result
    }

    private static func difference(
        _ present: [Value], _ removed: [Value], _ dialect: Dialect
    ) -> [Value] {
        if present.count * removed.count <= comparisonCountMax {
            return present.filter { element in
                !removed.contains { dialect.areEqual($0, element) }
            }
        }
        let unwanted = ElementSet(removed, dialect)
        return present.filter { !unwanted.contains($0) }
    }

    /// Whole numbers saturate; any double makes the sum a double.
    private static func sum(_ previous: Value?, _ operand: Value) -> Value {
        switch (previous, operand) {
        case (.integer(let left)?, .integer(let right)):
            let (sum, overflow) = left.addingReportingOverflow(right)
            return .integer(overflow ? (left < 0 ? .min : .max) : sum)
        case (.integer(let left)?, .double(let right)):
            return .double(Double(left) + right)
        case (.double(let left)?, .integer(let right)):
            return .double(left + Double(right))
        case (.double(let left)?, .double(let right)):
            return .double(left + right)
        default:
            return operand
        }
    }

    /// NaN wins, a tie keeps the previous value, and the winner keeps its type.
    private static func extreme(
        _ previous: Value?, _ operand: Value, wins: (Int) -> Bool
    ) -> Value {
        guard let previous, previous.isNumber else { return operand }
        if previous.isNaN || operand.isNaN { return .double(.nan) }
        return wins(operand.compare(to: previous)) ? operand : previous
    }
}

extension [FieldTransform] {
    /// A field that is changed together with a field inside it; `nil` if there is none. O(n log n).
    package var fieldAroundAnother: FieldPath? {
        if count < 2 { return nil }
        // The fields inside a field follow right behind the field.
        let fields = map(\.field).sorted()
        return zip(fields, fields.dropFirst()).first { $0 != $1 && $0.isPrefix(of: $1) }?.0
    }
}
