/// A rule of the Realtime Database as written, before the type checker looks up the names.
struct RealtimeSyntax: Sendable {
    /// What it is.
    indirect enum Kind: Sendable {
        case literal(RealtimeRuleValue)
        case pattern(Pattern)
        case name(String)
        case member(RealtimeSyntax, String)
        case index(RealtimeSyntax, RealtimeSyntax)
        case call(RealtimeSyntax, [RealtimeSyntax])
        case not(RealtimeSyntax)
        case negate(RealtimeSyntax)
        case binary(RealtimeOperator, RealtimeSyntax, RealtimeSyntax)
        /// Operands of a chain of `&&`.
        case all([RealtimeSyntax])
        /// Operands of a chain of `||`.
        case any([RealtimeSyntax])
        case conditional(RealtimeSyntax, RealtimeSyntax, RealtimeSyntax)
        case list([RealtimeSyntax])
    }

    let kind: Kind
    /// Where it stands in the file.
    let range: SourceRange
    /// How many expressions lie inside each other at most, with this expression.
    let height: Int

    init(_ kind: Kind, in range: SourceRange) {
        self.kind = kind
        self.range = range
        height = 1 + (kind.operands.map(\.height).max() ?? 0)
    }
}

extension RealtimeSyntax.Kind {
    /// The expressions directly inside, in the order in which they stand.
    var operands: [RealtimeSyntax] {
        switch self {
        case .literal, .pattern, .name: []
        case .member(let base, _): [base]
        case .not(let operand), .negate(let operand): [operand]
        case .index(let base, let key): [base, key]
        case .call(let callee, let arguments): [callee] + arguments
        case .binary(_, let left, let right): [left, right]
        case .all(let operands), .any(let operands), .list(let operands): operands
        case .conditional(let test, let first, let second): [test, first, second]
        }
    }
}

/// The operators that always evaluate both sides.
///
/// The double and the triple forms of equality mean the same: nothing is ever converted.
enum RealtimeOperator: String, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"

    /// The operator of a sign; `nil` for any other sign.
    init?(_ sign: Token.Sign) {
        switch sign {
        case .identical: self = .equal
        case .notIdentical: self = .notEqual
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .plus, .minus,
            .times, .slash, .percent:
            self.init(rawValue: sign.rawValue)
        case .and, .or, .not, .question, .colon, .semicolon, .comma, .dot, .assign, .dollar,
            .openParenthesis, .closeParenthesis, .openBracket, .closeBracket, .openBrace,
            .closeBrace:
            return nil
        }
    }

    /// How tightly it binds.
    var precedence: Int {
        switch self {
        case .equal, .notEqual: 0
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 1
        case .add, .subtract: 2
        case .multiply, .divide, .remainder: 3
        }
    }
}
