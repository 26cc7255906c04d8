import Hearth

/// A step in the history of a document, as it is printed.
struct HistoryRow {
    let version: DocumentVersion
    /// What the step changed in what programs saw; `nil` if nobody asked.
    let changes: [FieldChange]?

    /// One step.
    ///
    /// - Parameter previous: The step before, to tell what changed; `nil` if that is not wanted.
    ///   `.some(nil)` for the first step.
    init(_ version: DocumentVersion, after previous: DocumentVersion??) {
        self.version = version
        changes = previous.map {
            FieldChange.changes(from: $0?.fieldsLiteral, to: version.fieldsLiteral)
        }
    }

    /// Steps with what each changed.
    ///
    /// - Parameters:
    ///   - versions: The steps, the newest first.
    ///   - countMax: How many become rows; one more tells what the last row changed.
    static func rows(_ versions: [DocumentVersion], countMax: Int, isDiff: Bool) -> [HistoryRow] {
        versions.prefix(countMax).enumerated().map { place, version in
            let next = place + 1 < versions.count ? versions[place + 1] : nil
            return HistoryRow(version, after: isDiff ? .some(next) : nil)
        }
    }

    /// The step in a line, and a line for each field that it changed.
    var lines: [String] {
        var words = ["\(version.notedAt)", version.event.rawValue]
        if let write = version.write {
            words.append("batch \(write.batchID) by \(write.writer.line)")
        }
        if let time = version.updatedAt, version.write == nil || version.event == .committed {
            words.append("of \(time)")
        }
        if let error = version.error { words.append("(\("\(error)".oneLine))") }
        switch version.state {
        case .found: break
        case .missing: words.append("the document does not exist")
        case .unknown: words.append("nothing is known of the document")
        case .fieldsUnknown: words.append("the fields are not known")
        }
        return [words.joined(separator: " ")] + (changes ?? []).map { "  " + $0.line }
    }

    private var tone: Column<HistoryRow>.Tone {
        switch version.event {
        case .known, .heard, .accepted: .plain
        case .committed: .good
        case .edited, .withdrawn: .warning
        case .rejected: .bad
        }
    }
}

extension HistoryRow: ListRow {
    static var columns: [Column<HistoryRow>] {
        [
            Column("NOTED") { $0.version.notedAt.description },
            Column("EVENT", tone: { $0.tone }) { $0.version.event.rawValue },
            Column(number: "BATCH") { $0.version.write.map { "\($0.batchID)" } },
            Column("WRITER") { $0.version.write?.writer.line },
            Column("CHANGED") { $0.version.updatedAt?.description },
            Column("ERROR", tone: { _ in .bad }) { $0.version.error.map { "\($0)".oneLine } },
            Column("DOCUMENT") { row in
                switch row.version.state {
                case .found:
                    row.version.fieldsLiteral.map { ValueWriter.write($0, as: .text) }
                case .missing: "missing"
                case .unknown: "unknown"
                case .fieldsUnknown: "fields unknown"
                }
            },
        ]
    }

    var report: Report {
        let write = version.write
        let report = Report().with("number", Int(version.id))
            .with("notedAt", version.notedAt.description).with("event", version.event.rawValue)
            .with("state", version.state.rawValue)
            .with("updatedAt", version.updatedAt?.description)
            .with("readAt", version.readAt?.description)
            .with("hasPendingWrites", version.snapshot.metadata.hasPendingWrites)
            .with("batch", write.map { .integer($0.batchID) } ?? ValueLiteral.null)
            .with("user", write?.user)
            .with("uid", write.map { .integer(Int64($0.writer.uid)) } ?? ValueLiteral.null)
            .with("gid", write.map { .integer(Int64($0.writer.gid)) } ?? ValueLiteral.null)
            .with("pid", write.map { .integer(Int64($0.writer.pid)) } ?? ValueLiteral.null)
            .with("unit", write?.writer.unit).with("program", write?.writer.program)
            .with("error", version.error.map { "\($0)" })
            .with("fields", version.fieldsLiteral ?? .null)
            .with(
                "remoteFields",
                version.remoteSnapshot.flatMap { DocumentText($0).fields } ?? ValueLiteral.null)
        guard let changes else { return report }
        return report.with("changes", .array(changes.map(\.report.value)))
    }
}

extension DocumentVersion {
    /// The fields that programs saw; `nil` if there was no document.
    fileprivate var fieldsLiteral: ValueLiteral? { DocumentText(snapshot).fields }
}
