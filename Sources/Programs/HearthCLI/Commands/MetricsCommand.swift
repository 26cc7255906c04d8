import ArgumentParser
import Hearth

/// `hearth metrics`.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Print the daemon's figures for monitoring.",
        discussion: """
            In the text format of Prometheus, each figure with its meaning; fit for the folder of \
            node_exporter's textfile collector. JSON, an object for each: name, labels, value.
            """)

    @OptionGroup var list: FormatOption
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        let session = try await OperatorSession.open(connection)
        let text = try await session.attempt("ask for the metrics") {
            try await session.database.daemonMetrics()
        }
        guard list.chosen(json: connection.json) != nil else {
            return Terminal.write(text, to: .output)
        }
        list.print(text.split(separator: "\n").compactMap(MetricSample.init), connection)
    }
}

/// One line of the text format of Prometheus: a name, labels, and a number.
struct MetricSample: ListRow {
    /// The name.
    var name: String
    /// The labels, in their order.
    var labels: [(name: String, value: String)] = []
    /// The number, as it was written.
    var value: String

    /// Reads a line; `nil` for comments and what is no sample.
    init?(_ line: Substring) {
        guard !line.hasPrefix("#"), let end = line.firstIndex(where: { $0 == "{" || $0 == " " })
        else { return nil }
        name = String(line[..<end])
        var rest = line[end...]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while let equals = rest.firstIndex(of: "="), rest.first != "}" {
                let name = rest[..<equals].drop { $0 == "," }
                rest = rest[equals...].dropFirst(2)
                labels.append((String(name), Self.takeText(&rest)))
            }
            rest = rest.dropFirst()
        }
        value = String(rest.drop { $0 == " " })
        guard Double(value) != nil else { return nil }
    }

    static var columns: [Column<MetricSample>] {
        [
            Column("NAME") { $0.name },
            Column(number: "VALUE") { $0.value },
            Column("LABELS") { sample in
                guard !sample.labels.isEmpty else { return nil }
                return sample.labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
            },
        ]
    }

    /// The object for programs.
    var report: Report {
        Report().with("name", name)
            .with(
                "labels",
                .map(labels.map { ValueLiteral.Field(name: $0.name, value: .string($0.value)) })
            )
            .with("value", Double(value).map(ValueLiteral.double) ?? .null)
    }

    /// Takes a text up to the quote that ends it.
    private static func takeText(_ rest: inout Substring) -> String {
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\", let escaped = rest.popFirst() else {
                text.append(character)
                continue
            }
            text.append(escaped == "n" ? "\n" : escaped)
        }
        return text
    }
}
