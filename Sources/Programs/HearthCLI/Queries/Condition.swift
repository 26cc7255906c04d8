/// `FIELD OP VALUE`, as it is typed after `--where`.
struct Condition: Hashable {
    /// How a field is compared.
    enum Comparison: String, CaseIterable {
        case isEqual = "=="
        case isNotEqual = "!="
        case isLess = "<"
        case isLessOrEqual = "<="
        case isGreater = ">"
        case isGreaterOrEqual = ">="
        case isIn = "in"
        case isNotIn = "not-in"
        case contains = "array-contains"
        case containsAny = "array-contains-any"

        /// Whether the operand is an array of values.
        var takesArray: Bool {
            switch self {
            case .isIn, .isNotIn, .containsAny: true
            case .isEqual, .isNotEqual, .isLess, .isLessOrEqual, .isGreater, .isGreaterOrEqual,
                .contains:
                false
            }
        }
    }

    /// The field; `__name__` for the document's own name.
    let field: FieldPathText
    /// How it is compared.
    let comparison: Comparison
    /// With what.
    let operand: ValueLiteral

    /// Reads `FIELD OP VALUE`. A value that is nothing else is text.
    init(parsing text: String) throws(ValueSyntaxError) {
        var rest = Substring(text)
        rest.skipSpace()
        field = try FieldPathText(readingFrom: &rest, in: text)
        rest.skipSpace()
        let place = text.utf8.count - rest.utf8.count
        guard let comparison = Self.readComparison(&rest) else {
            let names = Comparison.allCases.map(\.rawValue).joined(separator: " ")
            throw ValueSyntaxError(
                "a comparison is missing, one of \(names)", at: place, in: Array(text.utf8))
        }
        rest.skipSpace()
        let shift = text.count - rest.count
        if rest.isEmpty {
            throw ValueSyntaxError(
                "a value is missing; \"\" is empty text", at: text.utf8.count, in: Array(text.utf8))
        }
        do throws(ValueSyntaxError) {
            operand = try ValueReader.readArgument(String(rest))
        } catch {
            throw error.shifted(by: shift)
        }
        if comparison.takesArray, operand.elements == nil {
            throw ValueSyntaxError(
                "\"\(comparison.rawValue)\" compares with an array such as [\"a\",\"b\"]",
                at: text.utf8.count - rest.utf8.count, in: Array(text.utf8))
        }
        self.comparison = comparison
    }

    private static func readComparison(_ rest: inout Substring) -> Comparison? {
        let scalars = rest.unicodeScalars
        let signs = scalars.prefix { "=!<>".unicodeScalars.contains($0) }
        let found = signs.isEmpty ? scalars.prefix { !$0.properties.isWhitespace } : signs
        let word = String(found)
        guard let comparison = word == "=" ? .isEqual : Comparison(rawValue: word) else {
            return nil
        }
        rest.unicodeScalars.removeFirst(found.count)
        return comparison
    }
}

extension Substring {
    fileprivate mutating func skipSpace() {
        // A mark behind a space is the next word's.
        self = Substring(unicodeScalars.drop { $0.properties.isWhitespace })
    }
}
