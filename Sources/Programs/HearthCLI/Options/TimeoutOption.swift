import ArgumentParser

/// `--timeout` of a read.
struct TimeoutOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to wait for the answer, such as 30s or 500ms.", valueName: "time"),
        transform: DurationText.parse)
    var timeout: DurationText?

    /// How long; `nil` for as long as the daemon answers.
    var span: Duration? { timeout?.duration }
}
