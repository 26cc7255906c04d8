/// A rule, or a part of a rule, with checked names and types.
struct RealtimeExpression: Sendable {
    /// What it is.
    indirect enum Kind: Sendable {
        case literal(RealtimeRuleValue)
        case auth
        case now
        case root
        case data
        case newData
        /// `query`, which has no value itself: only the fields have values.
        case query
        case queryField(RealtimeRuleQuery.Field)
        /// The key that a wildcard of the path has matched, by the wildcard's place among the
        /// wildcards.
        case wildcard(Int)
        /// A member of a part of `auth`.
        case member(RealtimeExpression, String)
        /// A member of a part of `auth` whose name, or number, is a value.
        case element(RealtimeExpression, RealtimeExpression)
        case length(RealtimeExpression)
        case text(TextMethod, RealtimeExpression, [RealtimeExpression])
        case matches(RealtimeExpression, Pattern)
        case place(SnapshotMethod, RealtimeExpression, [RealtimeExpression])
        case not(RealtimeExpression)
        case negate(RealtimeExpression)
        case binary(RealtimeOperator, RealtimeExpression, RealtimeExpression)
        case all([RealtimeExpression])
        case any([RealtimeExpression])
        case conditional(RealtimeExpression, RealtimeExpression, RealtimeExpression)
    }

    /// What a text can do but to match a pattern.
    enum TextMethod: String, Sendable {
        case contains, beginsWith, endsWith, replace, toLowerCase, toUpperCase

        /// How many texts it is given.
        var argumentCount: Int {
            switch self {
            case .contains, .beginsWith, .endsWith: 1
            case .replace: 2
            case .toLowerCase, .toUpperCase: 0
            }
        }

        /// What it gives.
        var type: RealtimeType {
            switch self {
            case .contains, .beginsWith, .endsWith: .boolean
            case .replace, .toLowerCase, .toUpperCase: .string
            }
        }
    }

    /// What a snapshot can do.
    enum SnapshotMethod: String, Sendable {
        case val, child, parent, hasChild, hasChildren, exists, getPriority
        case isNumber, isString, isBoolean

        /// What it gives.
        var type: RealtimeType {
            switch self {
            case .val, .getPriority: .primitive
            case .child, .parent: .snapshot
            case .hasChild, .hasChildren, .exists, .isNumber, .isString, .isBoolean: .boolean
            }
        }
    }

    let kind: Kind
    let type: RealtimeType
    /// Where it stands in the file.
    let range: SourceRange

    /// Whether it stands for itself.
    var isLiteral: Bool {
        if case .literal = kind { return true }
        return false
    }
}

extension RealtimeExpression.Kind {
    /// The expressions directly inside, in the order in which they stand.
    var operands: [RealtimeExpression] {
        switch self {
        case .literal, .auth, .now, .root, .data, .newData, .query, .queryField, .wildcard: []
        case .member(let base, _), .length(let base), .matches(let base, _): [base]
        case .not(let operand), .negate(let operand): [operand]
        case .element(let base, let key): [base, key]
        case .text(_, let base, let arguments): [base] + arguments
        case .place(_, let base, let arguments): [base] + arguments
        case .binary(_, let left, let right): [left, right]
        case .all(let operands), .any(let operands): operands
        case .conditional(let test, let first, let second): [test, first, second]
        }
    }
}
