import HearthModel

/// What the expressions of a set of rules have come to so far, and how often.
package struct RuleCoverage: Sendable {
    /// One expression.
    struct Entry: Sendable {
        /// How often it was evaluated.
        var count = 0
        /// What it came to, first things first, and how often each.
        var values: [RuleReport.Value] = []
    }

    private(set) var entries: [SourceRange: Entry] = [:]

    /// Nothing was evaluated.
    package init() {}

    /// Adds what was noted of a request.
    package mutating func add(_ recorder: RuleRecorder, of rules: RuleSet) {
        add(recorder, source: rules.source)
    }

    /// Adds what was noted of a request that was judged by the rules of a source.
    mutating func add(_ recorder: RuleRecorder, source: String) {
        lazy var places = SourcePlaces(source)
        for note in recorder.notes {
            let json: JSONValue
            switch note.outcome {
            case .value(let value): json = value.report
            case .failure(let reason, let range): json = Self.json(reason, places.json(range))
            }
            entries[note.range, default: Entry()].add(json)
        }
    }

    /// What there is to tell.
    package func report(of rules: RuleSet) -> RuleReport {
        RuleReport(rules, self)
    }

    private static func json(_ reason: String, _ place: JSONValue) -> JSONValue {
        let failure = JSONValue.object([
            .init(name: "sourcePosition", value: place),
            .init(name: "causeMessage", value: .string(reason)),
        ])
        return .object([.init(name: "undefined", value: failure)])
    }
}

extension RuleCoverage.Entry {
    /// Counts a value. Of values beyond the limit only the number counts.
    fileprivate mutating func add(_ json: JSONValue) {
        count += 1
        if let place = values.firstIndex(where: { $0.json == json }) {
            values[place].count += 1
        } else if values.count < RulesLimits.notedValueCountMax {
            values.append(RuleReport.Value(json: json, count: 1))
        }
    }
}
