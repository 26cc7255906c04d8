import ArgumentParser

/// `--format` of a command that prints one result.
struct ResultFormatOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Print the result as a table for people, or as one JSON object; --json is the latter "
                + "too.",
            valueName: "table|json|ndjson"))
    var format: ListFormat?

    /// The form that was asked for; `nil` if none was: then the result is for people, and the
    /// command's own.
    ///
    /// - Parameter json: Whether `--json` was given.
    func chosen(json: Bool) -> ListFormat? { format ?? (json ? .ndjson : nil) }
}
