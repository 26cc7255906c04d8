import ArgumentParser
import Hearth

/// `hearth aggregate`.
struct AggregateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "aggregate",
        abstract: "Count the documents of a query, or add up or average a field of them.",
        discussion: """
            Without --count, --sum or --average it counts. Documents that lack a field that is added \
            up or averaged count nowhere. A backend that says nothing is waited for 10 s; then the cache \
            computes the numbers, and --source server goes on waiting, a minute at most. Ends with \
            status 124 if the time of --timeout is up. JSON: count, sums, averages, isFromCache, \
            hasPendingWrites.
            """)

    @Argument(
        help: "The collection, such as rooms; its id with --group.",
        completion: CompletionSubject.collection.kind, transform: CollectionPath.parse
    )
    var collection: PathText

    @Flag(help: "Count the documents.")
    var count = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Add up a field. Repeat it for more.", valueName: "field"),
        transform: { try FieldPathText($0) })
    var sum: [FieldPathText] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Average a field. Repeat it for more.", valueName: "field"),
        transform: { try FieldPathText($0) })
    var average: [FieldPathText] = []

    @OptionGroup var options: QueryOptions
    @OptionGroup var source: SourceOption
    @OptionGroup var patience: TimeoutOption
    @OptionGroup var form: ResultFormatOption
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if fields.count > 5 {
            throw ValidationError("The backend computes up to five numbers at a time.")
        }
    }

    func run() async throws {
        let session = try await Session.whenStarted(connection, timeout: patience.span)
        let (options, collection, fields) = (options, collection, fields)
        let source = source.source.aggregateSource
        let snapshot = try await session.attempt(
            "aggregate \(collection)", timeout: patience.span, reading: self.source.source.source
        ) {
            try await options.query(collection, in: session.firestore).aggregate(fields)
                .getAggregation(source: source)
        }
        report(snapshot)
    }

    private var counts: Bool { count || (sum.isEmpty && average.isEmpty) }

    private var fields: [AggregateField] {
        (counts ? [.count()] : []) + sum.map { .sum($0.fieldPath) }
            + average.map { .average($0.fieldPath) }
    }

    private func report(_ snapshot: AggregateQuerySnapshot) {
        let sums = sum.map {
            (name: $0.description, value: Self.value(snapshot.get(.sum($0.fieldPath))))
        }
        let averages = average.map {
            (name: $0.description, value: Self.value(snapshot.get(.average($0.fieldPath))))
        }
        let metadata = snapshot.metadata
        let format = form.chosen(json: connection.json)
        if format == .table {
            let count = counts ? [("count", ValueLiteral.integer(Int64(snapshot.count)))] : []
            let rows =
                count + sums.map { ("sum \($0.name)", $0.value) }
                + averages.map { ("average \($0.name)", $0.value) }
            return ValueRow.printTable(
                rows.map { ValueRow(name: $0.0, value: $0.1) }, isQuiet: connection.quiet)
        }
        guard format == nil else {
            var report = Report()
            if counts { report = report.with("count", snapshot.count) }
            report = report.with("sums", .map(sums.map { .init(name: $0.name, value: $0.value) }))
                .with("averages", .map(averages.map { .init(name: $0.name, value: $0.value) }))
                .with("isFromCache", metadata.isFromCache)
                .with("hasPendingWrites", metadata.hasPendingWrites)
            Terminal.print(report.line)
            return
        }
        let remarks =
            connection.quiet
            ? ""
            : DocumentText.remarks(
                isFromCache: metadata.isFromCache, hasPendingWrites: metadata.hasPendingWrites)
        if counts { Terminal.print("count \(snapshot.count)\(remarks)") }
        for (name, value) in sums {
            Terminal.print("sum \(name) \(ValueWriter.write(value, as: .text))\(remarks)")
        }
        for (name, value) in averages {
            Terminal.print("average \(name) \(ValueWriter.write(value, as: .text))\(remarks)")
        }
    }

    private static func value(_ number: (any Sendable)?) -> ValueLiteral {
        switch number {
        case let whole as Int: .integer(Int64(whole))
        case let double as Double: .double(double)
        default: .null
        }
    }
}

extension SourceName {
    /// The library's word for where numbers are computed.
    var aggregateSource: AggregateSource {
        switch self {
        case .default: .default
        case .server: .server
        case .cache: .cache
        }
    }
}
