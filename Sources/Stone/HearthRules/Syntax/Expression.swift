/// A condition or a part of one, with the place where it stands.
struct Expression: Sendable {
    /// What it is.
    indirect enum Kind: Sendable {
        case literal(RuleValue)
        case name(String)
        case member(Expression, String)
        case index(Expression, Expression)
        /// Elements from the first bound up to the second; `nil` means to the edge.
        case range(Expression, Expression?, Expression?)
        case call(String, [Expression])
        case method(Expression, String, [Expression])
        case not(Expression)
        case negate(Expression)
        case binary(Operator, Expression, Expression)
        /// Operands of a chain of `&&`.
        case all([Expression])
        /// Operands of a chain of `||`.
        case any([Expression])
        case conditional(Expression, Expression, Expression)
        case isType(Expression, String)
        case list([Expression])
        case map([(key: Expression, value: Expression)])
        case path([PathPart])
    }

    /// The operators that always evaluate both sides.
    enum Operator: String, Sendable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case isIn = "in"
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case remainder = "%"
    }

    /// One segment of a path literal.
    enum PathPart: Sendable {
        case segment(String)
        /// `$(...)`: text becomes one segment, a path all of its own.
        case value(Expression)
    }

    let kind: Kind
    let position: SourcePosition
    /// From the first bracket or word to the last word, without the brackets behind that.
    private(set) var range: SourceRange
    /// How many expressions lie inside each other at most, with this expression.
    let height: Int

    init(_ kind: Kind, at position: SourcePosition, in range: SourceRange) {
        self.kind = kind
        self.position = position
        self.range = range
        self.height = 1 + (kind.operands.map(\.height).max() ?? 0)
    }

    /// Whether it stands for itself.
    var isLiteral: Bool {
        if case .literal = kind { return true }
        return false
    }

    /// The same with a bracket in front.
    func bracketed(from start: Int) -> Expression {
        var expression = self
        expression.range = SourceRange(start: start, end: range.end)
        return expression
    }
}

extension Expression.Kind {
    /// The expressions directly inside, in the order in which they stand.
    var operands: [Expression] {
        switch self {
        case .literal, .name: []
        case .member(let base, _), .isType(let base, _): [base]
        case .not(let operand), .negate(let operand): [operand]
        case .index(let base, let place): [base, place]
        case .range(let base, let start, let end): [base] + [start, end].compactMap(\.self)
        case .call(_, let arguments): arguments
        case .method(let base, _, let arguments): [base] + arguments
        case .binary(_, let left, let right): [left, right]
        case .all(let operands), .any(let operands), .list(let operands): operands
        case .conditional(let test, let first, let second): [test, first, second]
        case .map(let entries): entries.flatMap { [$0.key, $0.value] }
        case .path(let parts):
            parts.compactMap { part in
                if case .value(let value) = part { value } else { nil }
            }
        }
    }
}
