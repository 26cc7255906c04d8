import ArgumentParser
import Hearth

/// How a list of batches is printed.
struct ListingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Print so many at most; 1000 if nothing is said.", valueName: "n"),
        transform: WholeNumber.positive)
    var limit: Int?

    @Flag(help: "Print the causes instead, the most frequent first.")
    var byCause = false

    @OptionGroup var form: FormatOption

    /// How many are looked at: causes are counted over all.
    private func limit(of selection: BatchSelection) -> Int {
        limit ?? (byCause || selection.all ? .max : 1_000)
    }

    /// Prints the batches of a list that are meant; if there are none, says that nothing `verb`.
    func print(
        _ list: BatchList, _ selection: BatchSelection, _ connection: OperatorOptions,
        _ verb: String
    ) async throws {
        let session = try await OperatorSession.open(connection)
        let limit = limit(of: selection)
        let batches = try await session.attempt("list the batches") {
            try await list.batches(selection, limit: limit, of: session.database)
        }
        let isForPeople = form.chosen(json: connection.json) ?? .table == .table
        let absence = "Nothing \(verb)."
        if byCause {
            form.print(BatchGroup.groups(of: batches), connection, absence: absence)
        } else {
            form.print(batches, connection, absence: absence)
            if isForPeople { BatchPages.explainDoubt(of: batches, connection) }
        }
        let isWhole = selection.isEmpty || selection.all
        if batches.isEmpty, isWhole, isForPeople, !connection.namesOne, !connection.quiet {
            let statuses = try await session.attempt("ask for the status") {
                try await session.statuses()
            }
            for line in statuses.compactMap(list.hint) { Terminal.write(line + "\n", to: .error) }
        }
    }
}
