import ArgumentParser

extension ListFormat: ExpressibleByArgument {}

/// `--format`, which every command takes that prints a list.
struct FormatOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Print the list as a table for people, as one JSON array, or as JSON with one object a "
                + "line, which --json is too.",
            valueName: "table|json|ndjson"))
    var format: ListFormat?

    /// The form that was asked for; `nil` if none was.
    ///
    /// - Parameter json: Whether `--json` was given, an older name of `--format ndjson`.
    func chosen(json: Bool) -> ListFormat? { format ?? (json ? .ndjson : nil) }

    /// Prints a list of a command that looks after databases; see `ListFormat.print`.
    func print<Row: ListRow>(
        _ rows: [Row], _ connection: OperatorOptions, absence: String? = nil
    ) {
        print(rows, connection.connection, absence: absence)
    }

    /// Prints a list of a command of one database.
    func print<Row: ListRow>(
        _ rows: [Row], _ connection: ConnectionOptions, absence: String? = nil
    ) {
        (chosen(json: connection.json) ?? .table)
            .print(rows, isQuiet: connection.quiet, absence: absence)
    }

    /// Prints a list of a command of an instance of the Realtime Database.
    func print<Row: ListRow>(
        _ rows: [Row], _ instance: InstanceOptions, absence: String? = nil
    ) {
        (chosen(json: instance.json) ?? .table)
            .print(rows, isQuiet: instance.quiet, absence: absence)
    }
}

extension ListFormat {
    /// Prints a list.
    ///
    /// - Parameters:
    ///   - columns: Of a table.
    ///   - isQuiet: Whether results alone are wanted: a table then has no titles.
    ///   - absence: What people are told if the list is empty.
    func print<Row: ListRow>(
        _ rows: [Row], in columns: [Column<Row>] = Row.columns, isQuiet: Bool,
        absence: String? = nil
    ) {
        if rows.isEmpty, self == .table, !isQuiet, let absence {
            Terminal.write(absence + "\n", to: .error)
        }
        for line in lines(of: rows, in: columns, on: Terminal.screen, hasTitles: !isQuiet) {
            Terminal.order(line + "\n", to: .output)
        }
    }
}
