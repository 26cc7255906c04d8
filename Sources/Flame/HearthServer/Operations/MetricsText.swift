/// Writes metrics in the text format of Prometheus, each metric's lines together.
package struct MetricsText: Sendable {
    private var samples: [Metric: [String]] = [:]

    /// No samples yet.
    package init() {}

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - metric: The metric, which has the name, the type and the help.
    ///   - value: A number; not a number where nobody knows the number.
    ///   - labels: Names and values, in the order in which they are written.
    package mutating func add(
        _ metric: Metric, _ value: Double, _ labels: [(String, String)] = []
    ) {
        samples[metric, default: []].append(
            metric.rawValue + Self.text(labels) + " " + Self.text(value))
    }

    /// Adds a histogram.
    ///
    /// - Parameters:
    ///   - metric: The metric, which has the name, the type and the help.
    ///   - histogram: The counts; the text has durations in seconds.
    ///   - labels: Names and values, in the order in which they are written.
    package mutating func add(
        _ metric: Metric, _ histogram: DurationHistogram, _ labels: [(String, String)] = []
    ) {
        let ends = histogram.ends.map(Self.text) + ["+Inf"]
        var lines: [String] = []
        for (end, count) in zip(ends, histogram.cumulativeCounts) {
            lines.append("\(metric.rawValue)_bucket\(Self.text(labels + [("le", end)])) \(count)")
        }
        lines.append(
            "\(metric.rawValue)_sum\(Self.text(labels)) \(Self.text(histogram.seconds))")
        lines.append("\(metric.rawValue)_count\(Self.text(labels)) \(histogram.count)")
        samples[metric, default: []] += lines
    }

    /// All of it. A metric without samples is left out.
    package var text: String {
        var text = ""
        for metric in Metric.allCases {
            guard let lines = samples[metric] else { continue }
            text += "# HELP \(metric.rawValue) \(metric.help).\n"
            text += "# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n"
            text += lines.joined(separator: "\n") + "\n"
        }
        return text
    }

    private static func text(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        let parts = labels.map { name, value in "\(name)=\"\(escaped(value))\"" }
        return "{" + parts.joined(separator: ",") + "}"
    }

    private static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
