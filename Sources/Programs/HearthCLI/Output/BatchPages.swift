import Hearth

/// Batches with what they write, printed line by line.
enum BatchPages {
    /// Prints one batch and its writes, a line for each.
    static func print(
        _ batch: BatchText, _ writes: [ValueLiteral], _ connection: OperatorOptions
    ) {
        guard !connection.json else { return Terminal.print(batch.report(of: writes).line) }
        Terminal.print(batch.line)
        for write in writes {
            Terminal.print("  " + ValueWriter.write(write, as: .json))
        }
        explainDoubt(of: [batch], connection)
    }

    /// Says to people what "in doubt" means, if a batch is.
    static func explainDoubt(of batches: [BatchText], _ connection: OperatorOptions) {
        guard !connection.quiet, batches.contains(where: \.isInDoubt) else { return }
        Terminal.write(BatchText.doubtNote + "\n", to: .error)
    }
}
