import Hearth

/// What a transaction does to what is there.
enum TransactionChange: Sendable {
    /// Adds to a number; nothing counts as 0.
    case add(Double)
    /// Writes a value in the place of another.
    case replace(ValueLiteral, by: ValueLiteral)

    /// Runs once, for one state of the place.
    func run(_ data: MutableData) -> TransactionResult {
        switch self {
        case .add(let number):
            guard let sum = Self.sum(data.value, number) else { return .abort() }
            data.value = sum
        case .replace(let old, let new):
            guard Self.equal(data, old) else { return .abort() }
            do throws(Failure) {
                data.value = try new.treeValue()
            } catch {
                return .abort()  // The command has refused such a value before it began.
            }
        }
        return .success(withValue: data)
    }

    /// The sum, whole if it can be; `nil` if something else than a number is there.
    private static func sum(_ value: Any?, _ number: Double) -> Any? {
        switch value {
        case nil: Int(exactly: number) ?? number as Any
        case let old as Int:
            if let whole = Int(exactly: number),
                case (let sum, false) = old.addingReportingOverflow(whole)
            {
                sum
            } else {
                Double(old) + number
            }
        case let old as Double: old + number
        default: nil
        }
    }

    /// Whether what is there is what a literal says. Priorities do not count.
    private static func equal(_ data: MutableData, _ literal: ValueLiteral) -> Bool {
        if let children = children(of: literal) {
            guard data.childrenCount == children.count else { return false }
            let present = data.children.allObjects
            return children.allSatisfy { name, value in
                present.contains {
                    $0.key?.utf8.elementsEqual(name.utf8) == true && equal($0, value)
                }
            }
        }
        return switch (data.value, literal) {
        case (nil, .null), (nil, .map), (nil, .array): true
        case (let flag as Bool, .boolean(let expected)): flag == expected
        case (let text as String, .string(let expected)): text.utf8.elementsEqual(expected.utf8)
        case (let number as Int, .integer(let expected)): number == Int(expected)
        case (let number as Int, .double(let expected)): Double(number) == expected
        case (let number as Double, _): literal.number == number
        default: false
        }
    }

    /// The children that a literal stands for; `nil` for a leaf and for nothing.
    private static func children(
        of literal: ValueLiteral
    ) -> [(name: String, value: ValueLiteral)]? {
        let all =
            literal.fields?.map { ($0.name, $0.value) }
            ?? literal.elements?.enumerated().map { ("\($0.offset)", $0.element) }
        let children = all?.filter { $0.1 != .null }.map { (name: $0.0, value: $0.1) }
        return children?.isEmpty == true ? nil : children
    }
}
