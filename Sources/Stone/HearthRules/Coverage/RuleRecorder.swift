import HearthModel

/// Notes what the expressions of conditions came to, while a request is judged.
///
/// A recorder exists only if somebody wants to know; without a recorder, judging costs nothing
/// more.
package struct RuleRecorder: Sendable {
    /// What became of an expression.
    enum Outcome: Sendable {
        case value(RuleValue)
        /// Why it has no value, and where that began.
        case failure(reason: String, at: SourceRange)
    }

    /// What became of one expression.
    struct Note: Sendable {
        let range: SourceRange
        let outcome: Outcome
    }

    /// In the order of evaluation; inner expressions come before the expression around them.
    private(set) var notes: [Note] = []
    /// The expression that decided the last outcome: of a chain of `&&` or `||` the operand that
    /// decided, of a function of the source the expression inside, of a failure where it began.
    private(set) var decider: SourceRange?
    /// What rules said of each document, and of each part of a query, in the order of the questions.
    package private(set) var verdicts: [RuleVerdict] = []

    /// Nothing yet.
    package init() {}

    /// How many notes there are; an expression's own notes will stand behind this mark.
    var mark: Int { notes.count }

    /// Notes what became of an expression.
    ///
    /// - Parameter mark: How many notes there were before it began.
    mutating func note(
        _ range: SourceRange, _ result: Result<RuleValue, EvaluationError>, since mark: Int
    ) {
        let outcome: Outcome
        switch result {
        case .success(let value): outcome = .value(value)
        case .failure(let error):
            let origin = notes[mark...].lazy.compactMap { note -> SourceRange? in
                guard case .failure(let reason, let origin) = note.outcome,
                    utf8Equals(reason, error.reason)
                else { return nil }
                return origin
            }.first
            outcome = .failure(reason: error.reason, at: origin ?? range)
            decider = origin ?? range
        }
        notes.append(Note(range: range, outcome: outcome))
    }

    /// Notes the expression that decided an outcome.
    mutating func decided(by range: SourceRange) { decider = range }

    /// Notes what rules said of a request.
    mutating func note(_ verdict: RuleVerdict) { verdicts.append(verdict) }
}

/// What is noted beside the values themselves.
extension Evaluator {
    /// Evaluates an expression, and notes the outcome.
    mutating func noted(
        _ range: SourceRange,
        _ body: (inout Self) throws(EvaluationError) -> RuleValue
    ) throws(EvaluationError) -> RuleValue {
        let mark = accesses.recorder?.mark ?? 0
        do throws(EvaluationError) {
            let value = try body(&self)
            accesses.recorder?.note(range, .success(value), since: mark)
            return value
        } catch {
            accesses.recorder?.note(range, .failure(error), since: mark)
            throw error
        }
    }

    /// Whether an expression's value is the value of a part that was evaluated last, so that the part
    /// decided.
    func passesOn(_ expression: Expression, _ value: RuleValue, _ scope: EvaluationScope) -> Bool {
        switch expression.kind {
        case .all: value.isBoolean(false)
        case .any: value.isBoolean(true)
        case .conditional: true
        case .call(let name, _): tree.function(name, seenFrom: scope.block) != nil
        case .literal, .name, .member, .index, .range, .method, .not, .negate, .binary, .isType,
            .list, .map, .path:
            false
        }
    }

    /// Evaluates a function's result, and notes the outcome for each `let` statement before the
    /// result too.
    ///
    /// A report tells a `let` statement as an expression around the statements behind.
    mutating func notedResult(
        of function: RuleTree.Function, _ scope: EvaluationScope
    ) throws(EvaluationError) -> RuleValue {
        let mark = accesses.recorder?.mark ?? 0
        let result = Result { () throws(EvaluationError) in try value(function.result, scope) }
        for binding in function.bindings.reversed() {
            let range = SourceRange(start: binding.start, end: function.result.range.end)
            accesses.recorder?.note(range, result, since: mark)
        }
        return try result.get()
    }

    /// Notes what a chain of `&&` or `||` came to with its operand at a place: a report tells a
    /// chain as pairs, and the last pair is the whole chain.
    mutating func note(
        _ operands: [Expression], at index: Int, _ result: Result<RuleValue, EvaluationError>
    ) {
        let mark = accesses.recorder?.mark ?? 0
        let range = RuleReport.chainRange(operands, to: index)
        accesses.recorder?.note(range, result, since: mark)
    }

    /// Notes that the operand at a place has decided a chain.
    mutating func note(
        _ operands: [Expression], from index: Int, _ result: Result<RuleValue, EvaluationError>
    ) {
        guard accesses.recorder != nil, operands.count > 2 else { return }
        for place in max(index, 1)..<max(operands.count - 1, index, 1) {
            note(operands, at: place, result)
        }
    }
}

extension RuleValue {
    /// Whether it is this boolean.
    fileprivate func isBoolean(_ flag: Bool) -> Bool {
        if case .boolean(let own) = self { return own == flag }
        return false
    }
}
