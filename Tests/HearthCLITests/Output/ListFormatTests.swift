import ArgumentParser
import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthCLI

/// The rows of every command that prints a list, in all forms.
struct ListFormatTests {
    private static let now = Hearth.Timestamp(seconds: 200, nanoseconds: 0)
    private static let time = HearthModel.Timestamp(seconds: 97, nanoseconds: 500_000_000)
    /// A name that a terminal must not take for an order.
    private static let name = "lamp\u{1B}[31m"
    private static let process = Writer(
        uid: 7, gid: 8, pid: 9, unit: nil, program: name)
    private static let database = DatabaseID(project: "demo")

    /// Reads every form back, and compares with the rows.
    ///
    /// - Parameter key: A column of the table, and the field with the same; `nil` if none has just that.
    private func check<Row: ListRow>(_ rows: [Row], key: (title: String, field: String)? = nil)
        throws
    {
        let reports = rows.map(\.report.value)
        let array = try ValueReader.read(Array(ListFormat.json.lines(of: rows).joined().utf8))
        #expect(array.elements == reports)
        let lines = ListFormat.ndjson.lines(of: rows)
        #expect(try lines.map { try ValueReader.read(Array($0.utf8)) } == reports)
        for report in reports {
            #expect(report.fields?.map(\.name) == reports.first?.fields?.map(\.name))
        }

        let table = ListFormat.table.lines(of: rows)
        let parsed = Self.cells(of: table)
        let shown = Row.columns.filter { column in rows.contains { column.text($0) != nil } }
        #expect(parsed.first == shown.map(\.title))
        #expect(
            Array(parsed.dropFirst())
                == rows.map { row in
                    shown.map { TerminalText.line($0.text(row) ?? "-").cut(to: $0.widthMax) }
                })
        for line in table + lines { #expect(!line.contains("\u{1B}")) }
        guard let key else { return }
        let index = try #require(shown.firstIndex { $0.title == key.title })
        for (cells, report) in zip(parsed.dropFirst(), reports) {
            let told = report[key.field].map { value -> String in
                if case .string(let text) = value { return TerminalText.line(text) }
                return ValueWriter.write(value, as: .json)
            }
            #expect(cells[index] == told)
        }
    }

    /// The cells of a table: between them are two columns of spaces from the first line to the last.
    private static func cells(of table: [String]) -> [[String]] {
        let lines = table.map(Array.init)
        let width = lines.map(\.count).max() ?? 0
        let isBlank = (0..<width).map { place in
            lines.allSatisfy { place >= $0.count || $0[place] == " " }
        }
        var spans: [Range<Int>] = []
        var start = 0
        var place = 0
        while place < width {
            if isBlank[place], place + 1 < width, isBlank[place + 1] {
                spans.append(start..<place)
                while place < width, isBlank[place] { place += 1 }
                start = place
            } else {
                place += 1
            }
        }
        spans.append(start..<width)
        return lines.map { line in
            spans.map { span in
                let text = String(
                    line[min(span.lowerBound, line.count)..<min(span.upperBound, line.count)])
                return String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
        }
    }

    private func batch(
        _ id: Int64, _ state: BatchState = .queued,
        _ change: (inout QueuePage.Batch) -> Void = { _ in }
    ) throws -> QueuePage.Batch {
        var batch = QueuePage.Batch(
            id: BatchID(id), state: state, writtenAt: Self.time, byteCount: 1_200,
            writer: Self.process,
            content: .documents(
                try (1...Int(id)).map { try DocumentKey(parsing: "rooms/\($0)") }, []))
        change(&batch)
        return batch
    }

    private func text(_ batch: QueuePage.Batch) -> BatchText {
        BatchText(PendingBatch(batch), now: Self.now)
    }

    @Test func `connected processes`() throws {
        let clients = [
            Inspection.Client(
                session: 4, process: Self.process, database: .firestore(Self.database),
                listenerCount: 5, age: .seconds(600)),
            Inspection.Client(
                session: 17, process: Self.process, database: nil, listenerCount: 0, age: .zero),
        ].map(DaemonClient.init)
        try check(clients, key: ("SESSION", "session"))
    }

    @Test func `listeners`() throws {
        let listeners = ["rooms", "rooms where seats > 3 order by seats"].map {
            DaemonListener(
                Inspection.Listener(
                    session: 4, process: Self.process, database: .firestore(Self.database),
                    query: $0))
        }
        try check(listeners, key: ("QUERY", "query"))
    }

    @Test func `waiting batches, with the terms of their writes`() throws {
        let key = try DocumentKey(parsing: "rooms/hall")
        let batches = try [
            batch(2, .held),
            batch(3) {
                $0.heldBy = BatchID(2)
                $0.user = UserID("ada")
                $0.terms = SendingTerms(
                    expiresAt: HearthModel.Timestamp(seconds: 260, nanoseconds: 0),
                    isOnlineOnly: true)
                $0.demands = [
                    QueuePage.Batch.Demand(key, .exists(false)),
                    QueuePage.Batch.Demand(key, .updateTime(SnapshotVersion(Self.time))),
                ]
            },
            batch(12, .sentUnanswered),
        ].map(text)
        try check(batches, key: ("BATCH", "batch"))
        let report = batches[1].report.line
        #expect(
            report.contains(
                #""expiresAt":"1970-01-01T00:04:20Z","isOnlineOnly":true,"preconditions":["#
                    + #"{"document":"rooms/hall","exists":false},"#
                    + #"{"document":"rooms/hall","updateTime":"1970-01-01T00:01:37.500Z"}]"#))
        #expect(
            batches[1].terms == "expires in 60 s, only online, if rooms/hall is missing and 1 more")
        #expect(batches[0].terms == nil)
    }

    @Test func `a write whose time is over says so until it is given up`() throws {
        let late = try batch(1) {
            $0.terms = SendingTerms(expiresAt: HearthModel.Timestamp(seconds: 199, nanoseconds: 0))
        }
        #expect(text(late).terms == "has expired")
    }

    @Test func `dead letters, and their causes`() throws {
        let letters = try [false, true].map { isInDoubt in
            BatchText(
                DeadLetter(
                    DeadLetterPage.Letter(
                        batch: try batch(isInDoubt ? 1 : 2),
                        error: HearthError(code: .permissionDenied, message: "No \(Self.name)."),
                        rejectedAt: Self.time, mayHaveBeenApplied: isInDoubt)), now: Self.now)
        }
        try check(letters, key: ("BATCH", "batch"))
        try check(BatchGroup.groups(of: letters + letters), key: ("BATCHES", "batches"))
    }

    @Test func `collections`() throws {
        let rows = ["rooms", "rooms/\(Self.name)/lamps"].map(CollectionRow.init)
        try check(rows, key: ("COLLECTION", "path"))
    }

    @Test func `pins`() throws {
        let query = HearthModel.Query(path: try ResourcePath(parsing: "rooms"))
        func pin(_ uid: UInt32?, _ name: String, _ state: PinReport.State) -> Hearth.Pin {
            var report = PinReport(
                pin: HearthModel.Pin(id: .init(uid: uid, name: name), query: query), state: state)
            report.completedAt = uid == nil ? nil : Self.time
            report.error =
                state == .stopped ? HearthError(code: .permissionDenied, message: "No.") : nil
            return Hearth.Pin(report)
        }
        let pins = [pin(nil, "rooms", .inStep), pin(7, Self.name, .stopped)]
        try check(pins, key: ("STATE", "state"))
        #expect(pins[1].report.line.contains(#""completedAt":"1970-01-01T00:01:37.500Z""#))
    }

    @Test func `kept places`() throws {
        let places = [nil, 7].map { (uid: UInt32?) in
            Hearth.KeptPlace(
                HearthWire.KeptPlace(
                    ListenTarget(.root, .all), uid: uid, isAllowed: uid == nil))
        }
        try check(places, key: ("PLACE", "path"))
    }

    @Test func `indexes`() throws {
        let entries = [true, false].map {
            CacheIndexes.Entry(description: "rooms(n desc)", isAutomatic: $0, isComplete: !$0)
        }
        try check(entries, key: ("INDEX", "index"))
    }

    @Test func `the ledger, whose sum is for people alone`() throws {
        let rows = [1_234_567, 9].map {
            LedgerReport.Row(
                program: LedgerProgram(uid: 7, unit: "till.service", name: Self.name),
                sums: LedgerSums(reads: $0, aloneReads: $0 * 2))
        }
        let ledger = DaemonLedger(
            LedgerReport(
                since: Self.time, rows: rows, total: LedgerSums(reads: 10, aloneReads: 20)))
        let text = LedgerText(name: "demo/(default)", ledger: ledger, grouping: .program)
        try check(text.rows)
        #expect(text.rows[0].report.line.contains(#""reads":1234567,"aloneReads":2469134"#))
        #expect(text.lines().count == 5)
        #expect(text.lines().last?.hasPrefix("all ") == true)
        #expect(text.lines(countMax: 1).last == "1 more")
        #expect(text.lines(isQuiet: true).count == 3)
    }

    @Test func `databases`() throws {
        let texts = [true, false].map { isWell in
            var report = StatusReport(database: .firestore(Self.database))
            report.degradedReasons = isWell ? [] : ["The disk is full."]
            report.oldestWrittenAt = isWell ? nil : Self.time
            return StatusText(status: DaemonStatus(report), now: Self.now)
        }
        try check(texts, key: ("STATE", "state"))
    }

    @Test func `figures and findings`() throws {
        let samples = ["hearth_a 12", #"hearth_b{name="x"} 3"#].compactMap { MetricSample($0[...]) }
        try check(samples, key: ("NAME", "name"))
        let findings = [
            Finding.fine("disk", "There is room."),
            Finding.problem("queue", "It is full.", cure: "hearth queue"),
        ]
        try check(findings, key: ("GRADE", "grade"))
    }

    @Test func `the form is an option of every command that prints a list`() throws {
        let lists = [
            ["clients"], ["listeners"], ["queue"], ["queue", "list"], ["dead-letters"],
            ["queue", "dead-letters"], ["collections"], ["pins"], ["ledger"], ["top"],
            ["index", "list"], ["rtdb", "keep", "--list"], ["status"], ["metrics"], ["doctor"],
        ]
        for list in lists {
            for format in ListFormat.allCases {
                _ = try HearthCommand.parseAsRoot(list + ["--format", format.rawValue])
            }
            #expect(throws: (any Error).self) {
                try HearthCommand.parseAsRoot(list + ["--format", "xml"])
            }
        }
        let form = try FormatOption.parse([])
        #expect(form.chosen(json: true) == .ndjson)
        #expect(form.chosen(json: false) == nil)
        #expect(try FormatOption.parse(["--format", "json"]).chosen(json: true) == .json)
    }
}
