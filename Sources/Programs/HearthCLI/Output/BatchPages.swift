import Hearth

/// Lists of batches, printed line by line.
enum BatchPages {
    /// Prints batches, or their causes; if there are none, says that nothing `verb`.
    static func print(
        _ batches: [BatchText], byCause: Bool, _ connection: OperatorOptions, _ verb: String
    ) {
        if batches.isEmpty, !connection.json, !connection.quiet {
            Terminal.write("Nothing \(verb).\n", to: .error)
        }
        if byCause {
            for group in BatchGroup.groups(of: batches) {
                if connection.json {
                    Terminal.print(group.report.line)
                } else {
                    Terminal.printRow(group.line)
                }
            }
        } else {
            for batch in batches {
                if connection.json {
                    Terminal.print(batch.report.line)
                } else {
                    Terminal.printRow(batch.line)
                }
            }
        }
    }

    /// Prints one batch and its writes, a line for each.
    static func print(
        _ batch: BatchText, _ writes: [ValueLiteral], _ connection: OperatorOptions
    ) {
        guard !connection.json else { return Terminal.print(batch.report(of: writes).line) }
        Terminal.print(batch.line)
        for write in writes {
            Terminal.print("  " + ValueWriter.write(write, as: .json))
        }
    }
}
