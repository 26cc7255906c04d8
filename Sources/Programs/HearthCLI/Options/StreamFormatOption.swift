import ArgumentParser

/// `--format` of a command that goes on printing what happens.
struct StreamFormatOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Print the results as a table for people, or what happens as JSON: with ndjson one "
                + "event a line, with json an array of the events that came together a line.",
            valueName: "table|json|ndjson"))
    var format: ListFormat?

    /// Events that came together, as lines of JSON.
    static func lines(of events: [Report], as format: ListFormat) -> [String] {
        switch format {
        case .json: [ValueWriter.write(.array(events.map(\.value)), as: .json)]
        case .ndjson, .table: events.map(\.line)
        }
    }
}
