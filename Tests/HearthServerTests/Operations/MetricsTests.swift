import Glibc
import HearthServer
import Testing

/// The figures for monitoring, and the text about each figure.
struct MetricsTests {
    private func file(_ path: String) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = try #require(fopen("/\(root)/\(path)", "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    @Test func `metrics are written with their help, their kind and escaped labels`() {
        var text = MetricsText()
        text.add(.queueBatches, 3, [("project", "a\"b\\c\nd"), ("database", "x")])
        text.add(.queueBatches, 0.5)
        #expect(
            text.text == """
                # HELP hearth_queue_batches Batches of writes that wait for the backend.
                # TYPE hearth_queue_batches gauge
                hearth_queue_batches{project="a\\"b\\\\c\\nd",database="x"} 3
                hearth_queue_batches 0.5

                """)
    }

    @Test func `what is no number is written as Prometheus reads it`() {
        var text = MetricsText()
        text.add(.targets, .nan)
        text.add(.targets, .infinity)
        text.add(.targets, -.infinity)
        let samples = text.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(samples == ["hearth_targets NaN", "hearth_targets +Inf", "hearth_targets -Inf"])
    }

    @Test func `a histogram's buckets grow up to all that was counted`() {
        var histogram = DurationHistogram()
        histogram.count(.milliseconds(1))
        histogram.count(.milliseconds(30))
        var other = DurationHistogram()
        other.count(.seconds(100))
        histogram.add(other)
        var text = MetricsText()
        text.add(.storeCommit, histogram, [("project", "p")])
        let lines = text.text.split(separator: "\n")
        #expect(lines.contains(#"hearth_store_commit_seconds_bucket{project="p",le="0.0005"} 0"#))
        #expect(lines.contains(#"hearth_store_commit_seconds_bucket{project="p",le="0.001"} 1"#))
        #expect(lines.contains(#"hearth_store_commit_seconds_bucket{project="p",le="0.05"} 2"#))
        #expect(lines.contains(#"hearth_store_commit_seconds_bucket{project="p",le="30"} 2"#))
        #expect(lines.contains(#"hearth_store_commit_seconds_bucket{project="p",le="+Inf"} 3"#))
        #expect(lines.contains(#"hearth_store_commit_seconds_count{project="p"} 3"#))
        #expect(abs(histogram.seconds - 100.031) < 1e-9)
    }

    @Test func `turns are told apart from a tenth of a millisecond to a tenth of a second`() {
        var figures = EngineFigures()
        var other = EngineFigures()
        other.turns.count(.microseconds(200))
        figures.turns.count(.milliseconds(20))
        figures.add(other)
        var text = MetricsText()
        text.add(.turn, figures.turns)
        let buckets = text.text.split(separator: "\n").filter { $0.contains("_bucket") }
        let counts = [
            "0.0001": 0, "0.0003": 1, "0.001": 1, "0.003": 1, "0.01": 1, "0.03": 2, "0.1": 2,
            "+Inf": 2,
        ]
        #expect(buckets.count == counts.count)
        for (end, count) in counts {
            let line = "hearth_turn_processor_seconds_bucket{le=\"\(end)\"} \(count)"
            #expect(buckets.contains { $0 == line })
        }
    }

    @Test(arguments: Metric.allCases)
    func `every metric is documented as it is told`(metric: Metric) throws {
        let row = "| `\(metric.rawValue)` | \(metric.kind.rawValue) | \(metric.help) |"
        #expect(try file("systemd/README.md").contains(row))
    }

    @Test func `alerts ask for nothing that there is not`() throws {
        var names: Set<String> = []
        for match in try file("Config/hearth-alerts.yml").matches(of: /\bhearth_[a-z_]+/) {
            names.insert(String(match.output))
        }
        #expect(names.count > 5)
        for name in names {
            let isHistogram = Metric.allCases.contains {
                $0.kind == .histogram && name == $0.rawValue + "_bucket"
            }
            #expect(isHistogram || Metric(rawValue: name) != nil, "\(name)")
        }
    }
}
