import ArgumentParser
import Hearth

/// What sorts and narrows the children of a place.
struct ChildQueryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Sort by what is at a path below each child, or by .key, .value or .priority, which is the \
            order if nothing is said.
            """,
            valueName: "path"))
    var orderBy: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Begin where --order-by has this value. With .key the value is text; what looks like a \
            number needs quotes inside quotes: '"5"'.
            """,
            valueName: "value"),
        transform: { try ValueReader.readArgument($0, wideIntegers: .double) })
    var startAt: ValueLiteral?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Begin after this value.", valueName: "value"),
        transform: { try ValueReader.readArgument($0, wideIntegers: .double) })
    var startAfter: ValueLiteral?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End where --order-by has this value.", valueName: "value"),
        transform: { try ValueReader.readArgument($0, wideIntegers: .double) })
    var endAt: ValueLiteral?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End before this value.", valueName: "value"),
        transform: { try ValueReader.readArgument($0, wideIntegers: .double) })
    var endBefore: ValueLiteral?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only children where --order-by has this value.", valueName: "value"),
        transform: { try ValueReader.readArgument($0, wideIntegers: .double) })
    var equalTo: ValueLiteral?

    @Option(
        help: ArgumentHelp("Keep the first children.", valueName: "n"),
        transform: WholeNumber.parse(in: 1...UInt(Int32.max)))
    var limitToFirst: UInt?

    @Option(
        help: ArgumentHelp("Keep the last children.", valueName: "n"),
        transform: WholeNumber.parse(in: 1...UInt(Int32.max)))
    var limitToLast: UInt?

    func validate() throws {
        if limitToFirst != nil, limitToLast != nil {
            throw ValidationError("--limit-to-first and --limit-to-last exclude each other.")
        }
        if startAt != nil, startAfter != nil {
            throw ValidationError("--start-at and --start-after exclude each other.")
        }
        if endAt != nil, endBefore != nil {
            throw ValidationError("--end-at and --end-before exclude each other.")
        }
        if equalTo != nil, [startAt, startAfter, endAt, endBefore].contains(where: { $0 != nil }) {
            throw ValidationError("--equal-to stands alone, without a start or an end.")
        }
        for bound in bounds {
            if let objection = objection(to: bound) { throw ValidationError(objection) }
        }
    }

    private struct Bound {
        let option: String
        let value: ValueLiteral
    }

    private var bounds: [Bound] {
        let given = [
            ("--start-at", startAt), ("--start-after", startAfter), ("--end-at", endAt),
            ("--end-before", endBefore), ("--equal-to", equalTo),
        ]
        return given.compactMap { option, value in value.map { Bound(option: option, value: $0) } }
    }

    /// Why a bound does not go with the order, and what would; `nil` if it does.
    private func objection(to bound: Bound) -> String? {
        let (option, value) = (bound.option, bound.value)
        switch value {
        case .string: return nil
        case .null, .boolean, .integer, .double:
            let text = ValueWriter.write(value, as: .json)
            switch orderBy {
            case ".key"?:
                let word = ShellText.word(ValueWriter.quote(text))
                return "With --order-by .key, \(option) takes a key, which is text, and "
                    + "\(text) is \(value.kind). For the key \(text) say \(option) \(word)."
            case nil, ".priority"?:
                guard case .boolean = value else { return nil }
                return "\(option) takes a priority, which is text or a number, and \(text) is "
                    + "\(value.kind). Say --order-by .value, or --order-by with a path below each "
                    + "child."
            case _?: return nil
            }
        case .timestamp, .bytes, .reference, .geoPoint, .vector, .array, .map, .order:
            return "\(option) takes text, a number, a flag or null, and not \(value.kind)."
        }
    }

    /// Whether any of the options is given.
    var areGiven: Bool {
        orderBy != nil || limitToFirst != nil || limitToLast != nil
            || [startAt, startAfter, endAt, endBefore, equalTo].contains { $0 != nil }
    }

    /// The query that the options ask of a place.
    func query(_ place: DatabaseReference) throws(Failure) -> DatabaseQuery {
        var query: DatabaseQuery = place
        switch orderBy {
        case nil: break
        case ".key"?: query = query.queryOrderedByKey()
        case ".value"?: query = query.queryOrderedByValue()
        case ".priority"?: query = query.queryOrderedByPriority()
        case let path?: query = try Self.sorted(query, byChild: path)
        }
        if let startAt { query = query.queryStarting(atValue: try startAt.treeValue()) }
        if let startAfter { query = query.queryStarting(afterValue: try startAfter.treeValue()) }
        if let endAt { query = query.queryEnding(atValue: try endAt.treeValue()) }
        if let endBefore { query = query.queryEnding(beforeValue: try endBefore.treeValue()) }
        if let equalTo { query = query.queryEqual(toValue: try equalTo.treeValue()) }
        if let limitToFirst { query = query.queryLimited(toFirst: limitToFirst) }
        if let limitToLast { query = query.queryLimited(toLast: limitToLast) }
        return query
    }

    private static func sorted(
        _ query: DatabaseQuery, byChild path: String
    ) throws(Failure) -> DatabaseQuery {
        let query = query.queryOrdered(byChild: path)
        do throws(DatabaseError) {
            try query.validate()
            return query
        } catch {
            // A place has no mistake yet, so the path is the mistake.
            throw Failure(
                .usage,
                "--order-by takes a path below each child, such as name or address/city, or .key, "
                    + ".value or .priority; \(ValueWriter.quote(path)) is none of these.")
        }
    }
}
