import ArgumentParser
import Hearth

/// What narrows and sorts a query.
struct QueryOptions: ParsableArguments {
    @Flag(help: "Ask all collections of this id, wherever they are.")
    var group = false

    @Option(
        name: .customLong("where"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A condition, such as 'lights >= 3' or 'tag in [\"a\",\"b\"]'. Repeat it for more.",
            discussion: """
                Comparisons: == != < <= > >= in not-in array-contains array-contains-any. The \
                field __name__ is the document's own. The last four look into lists, and tell 1 \
                from 1.0, which == does not: write both, as in 'lights in [1, 1.0]'.
                """,
            valueName: "field op value"),
        transform: { try Condition(parsing: $0) })
    var conditions: [Condition] = []

    @Option(
        name: .customLong("order"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Sort by a field. Repeat it for more.", valueName: "field[:desc]"),
        transform: { try Ordering(parsing: $0) })
    var orderings: [Ordering] = []

    @Option(
        help: ArgumentHelp("Keep the first results.", valueName: "n"),
        transform: WholeNumber.positive)
    var limit: Int?

    @Option(
        help: ArgumentHelp("Keep the last results; needs --order.", valueName: "n"),
        transform: WholeNumber.positive)
    var limitToLast: Int?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Begin where the first --order has this value. Repeat it for the next --order.",
            valueName: "value"),
        transform: { try ValueReader.readArgument($0) })
    var startAt: [ValueLiteral] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As --start-at, but begin after the value.", valueName: "value"),
        transform: { try ValueReader.readArgument($0) })
    var startAfter: [ValueLiteral] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As --start-at, but end at the value.", valueName: "value"),
        transform: { try ValueReader.readArgument($0) })
    var endAt: [ValueLiteral] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As --start-at, but end before the value.", valueName: "value"),
        transform: { try ValueReader.readArgument($0) })
    var endBefore: [ValueLiteral] = []

    func validate() throws {
        if limit != nil, limitToLast != nil {
            throw ValidationError("--limit and --limit-to-last exclude each other.")
        }
        if limitToLast != nil, orderings.isEmpty {
            throw ValidationError("--limit-to-last needs --order.")
        }
        if !startAt.isEmpty, !startAfter.isEmpty {
            throw ValidationError("--start-at and --start-after exclude each other.")
        }
        if !endAt.isEmpty, !endBefore.isEmpty {
            throw ValidationError("--end-at and --end-before exclude each other.")
        }
        for cursor in [startAt, startAfter, endAt, endBefore] where cursor.count > orderings.count {
            throw ValidationError(
                "There are \(cursor.count) values to start or end at, but only \(orderings.count) "
                    + "--order.")
        }
    }

    /// Whether anything was given.
    var isEmpty: Bool {
        !group && conditions.isEmpty && orderings.isEmpty && limit == nil && limitToLast == nil
            && startAt.isEmpty && startAfter.isEmpty && endAt.isEmpty && endBefore.isEmpty
    }

    /// The query that the options ask of a collection.
    func query(_ collection: PathText, in firestore: Firestore) throws -> Query {
        var query = try source(collection, in: firestore)
        for condition in conditions {
            query = query.whereFilter(try condition.filter(in: firestore))
        }
        for ordering in orderings {
            query = query.order(by: ordering.field.fieldPath, descending: ordering.isDescending)
        }
        if let limit { query = query.limit(to: limit) }
        if let limitToLast { query = query.limit(toLast: limitToLast) }
        let encode = { (values: [ValueLiteral]) in try values.map { try $0.encoded(in: firestore) }
        }
        if !startAt.isEmpty { query = query.start(at: try encode(startAt)) }
        if !startAfter.isEmpty { query = query.start(after: try encode(startAfter)) }
        if !endAt.isEmpty { query = query.end(at: try encode(endAt)) }
        if !endBefore.isEmpty { query = query.end(before: try encode(endBefore)) }
        return query
    }

    private func source(_ collection: PathText, in firestore: Firestore) throws -> Query {
        guard group else { return try firestore.validatedCollection(collection.description) }
        guard collection.segments.count == 1 else {
            throw Failure(
                .usage, "--group takes a collection's id, not a path such as \(collection).")
        }
        return firestore.collectionGroup(collection.description)
    }
}
