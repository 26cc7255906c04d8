/// A query as it is typed: `rooms --where 'lights > 3' --order lights:desc --limit 10`.
///
/// A query has one text, however somebody spelled it, so the text can be the name of a pin.
enum QueryWords {
    /// The collection and the options, ready for a shell.
    static func text(_ collection: PathText, _ options: QueryOptions) -> String {
        var words = [collection.description]
        if options.group { words.append("--group") }
        for condition in options.conditions { words += ["--where", text(of: condition)] }
        for ordering in options.orderings {
            words += ["--order", "\(ordering.field)\(ordering.isDescending ? ":desc" : "")"]
        }
        if let limit = options.limit { words += ["--limit", "\(limit)"] }
        if let limit = options.limitToLast { words += ["--limit-to-last", "\(limit)"] }
        let cursors = [
            ("--start-at", options.startAt), ("--start-after", options.startAfter),
            ("--end-at", options.endAt), ("--end-before", options.endBefore),
        ]
        for (option, values) in cursors {
            for value in values { words += [option, text(of: value)] }
        }
        return words.map(ShellText.word).joined(separator: " ")
    }

    private static func text(of condition: Condition) -> String {
        "\(condition.field) \(condition.comparison.rawValue) \(text(of: condition.operand))"
    }

    private static func text(of value: ValueLiteral) -> String {
        ValueWriter.write(value, as: .text)
    }
}
