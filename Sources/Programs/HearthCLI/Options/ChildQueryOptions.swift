import ArgumentParser
import Hearth

/// What sorts and narrows the children of a place.
struct ChildQueryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Sort by what is at a path below each child, or by .key, .value or .priority.",
            valueName: "path"))
    var orderBy: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Begin where --order-by has this value.", valueName: "value"),
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
        transform: WholeNumber.parse(in: 1...UInt.max))
    var limitToFirst: UInt?

    @Option(
        help: ArgumentHelp("Keep the last children.", valueName: "n"),
        transform: WholeNumber.parse(in: 1...UInt.max))
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
        case let path?: query = query.queryOrdered(byChild: path)
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
}
