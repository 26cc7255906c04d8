import Hearth

/// The batches of one cause, as `--by-cause` prints them.
struct BatchGroup {
    /// Why they wait, or were rejected.
    let cause: String
    /// How many there are.
    private(set) var count = 0
    /// The number of the first.
    let first: Int64
    /// The number of the last.
    private(set) var last: Int64
    private var byteCount = 0
    private var writers: [String: Int] = [:]
    private let oldest: BatchText

    /// The batches by cause, the most frequent first.
    static func groups(of batches: [BatchText]) -> [BatchGroup] {
        var groups: [String: BatchGroup] = [:]
        for batch in batches {
            groups[batch.cause, default: BatchGroup(batch)].add(batch)
        }
        return groups.values.sorted { ($1.count, $0.first) < ($0.count, $1.first) }
    }

    private init(_ batch: BatchText) {
        cause = batch.cause
        first = batch.batch.id
        last = first
        oldest = batch
    }

    private mutating func add(_ batch: BatchText) {
        count += 1
        last = batch.batch.id
        byteCount += batch.batch.byteCount
        let writer = batch.batch.writer
        writers[writer.unit ?? writer.program ?? "uid \(writer.uid)", default: 0] += 1
    }

    private var writersByCount: [(name: String, count: Int)] {
        writers.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// The writers that wrote most, with their counts.
    private var writersText: String {
        let shown = writersByCount.prefix(3).map { "\($0.name) \($0.count)" }
            .joined(separator: ", ")
        return writersByCount.count > 3 ? "\(shown), \(writersByCount.count - 3) more" : shown
    }
}

extension BatchGroup: ListRow {
    static var columns: [Column<BatchGroup>] {
        [
            Column(number: "BATCHES") { Quantity.number($0.count) },
            Column(number: "FIRST") { "\($0.first)" },
            Column(number: "LAST") { "\($0.last)" },
            Column(number: "SIZE") { Quantity.bytes($0.byteCount) },
            Column(number: "OLDEST") {
                Quantity.duration($0.oldest.batch.writtenAt.age(at: $0.oldest.now))
            },
            Column("WRITERS") { $0.writersText },
            Column("CAUSE", tone: { $0.oldest.letter == nil ? .plain : .bad }) { $0.cause },
        ]
    }

    /// The object for programs, whose fields the help of `queue list` names.
    var report: Report {
        Report().with("cause", cause).with("batches", count).with("first", Int(first))
            .with("last", Int(last)).with("bytes", byteCount)
            .with("oldestWrittenAt", oldest.batch.writtenAt.description)
            .with(
                "writers",
                .map(writersByCount.map { .init(name: $0.name, value: .integer(Int64($0.count))) }))
    }
}

extension BatchText {
    /// Why the batch waits, or was rejected: what is the same for all that share the cause.
    var cause: String {
        if let letter { return "\(letter.error)".oneLine.withoutNames }
        switch batch.state {
        case .held: return "held by an administrator"
        case .sentUnanswered: return "sent, and not answered yet"
        case .queued:
            return batch.heldBy.map { "behind held batch \($0)" } ?? "waits to be sent"
        }
    }
}

extension String {
    /// The text without what differs from one error to the next: paths and numbers.
    fileprivate var withoutNames: String {
        split(separator: " ").map { word in
            if word.utf8.contains(UInt8(ascii: "/")) { return "…" }
            let hasDigit = word.utf8.contains { (0x30...0x39).contains($0) }
            return hasDigit ? "#" : String(word)
        }.joined(separator: " ")
    }
}
