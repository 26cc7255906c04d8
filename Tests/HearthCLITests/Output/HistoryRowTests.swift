import HearthEngine
import HearthModel
import Testing

@testable import Hearth
@testable import HearthCLI

/// The steps of a document as they are printed.
struct HistoryRowTests {
    private static let reference = Firestore(
        settings: FirestoreSettings(socketPath: "/nowhere", projectID: "demo")
    ).document("rooms/hall")

    private func version(
        _ seconds: Int64, _ event: HistoryEvent, _ fields: MapValue?, isPending: Bool = false
    ) throws -> DocumentVersion {
        let key = try DocumentKey(parsing: "rooms/hall")
        let at = SnapshotVersion(HearthModel.Timestamp(seconds: seconds, nanoseconds: 0))
        var document = fields.map { Document.found(key, at: at, $0) } ?? .missing(key, at: at)
        if isPending { document.markLocalMutations() }
        var entry = HistoryEntry(
            notedAt: HearthModel.Timestamp(seconds: seconds + 1, nanoseconds: 0), event: event,
            local: document)
        entry.number = seconds
        return DocumentVersion(entry, of: Self.reference)
    }

    private func versions(_ name: String = "kiosk") throws -> [DocumentVersion] {
        let write = HistoryWrite(
            batch: BatchID(7), user: UserID("ada"),
            writer: Writer(uid: 7, gid: 8, pid: 9, unit: nil, program: name))
        return [
            try version(40, .heard, nil),
            try version(
                30, .accepted(write),
                ["n": .integer(2), "map": .map(["a": .integer(1), "b": .integer(3)])],
                isPending: true),
            try version(
                20, .heard, ["n": .integer(1), "map": .map(["a": .integer(1)]), "old": .null]),
        ]
    }

    @Test func `people read who changed which field, and when`() throws {
        let rows = HistoryRow.rows(try versions(), countMax: 3, isDiff: true)
        #expect(
            rows.flatMap(\.lines) == [
                "1970-01-01T00:00:41Z heard of 1970-01-01T00:00:40Z the document does not exist",
                "  - map: {\"a\": 1, \"b\": 3}", "  - n: 2",
                "1970-01-01T00:00:31Z accepted batch 7 by kiosk[9] of uid 7", "  + map.b: 3",
                "  ~ n: 1 -> 2", "  - old: null",
                "1970-01-01T00:00:21Z heard of 1970-01-01T00:00:20Z", "  + map: {\"a\": 1}",
                "  + n: 1", "  + old: null",
            ])
    }

    @Test func `the last row is compared with a step that is not shown`() throws {
        let rows = HistoryRow.rows(try versions(), countMax: 2, isDiff: true)
        #expect(rows.count == 2)
        #expect(rows.last?.changes?.map(\.path.description) == ["map.b", "n", "old"])
        #expect(
            HistoryRow.rows(try versions(), countMax: 2, isDiff: false).allSatisfy {
                $0.changes == nil
            })
    }

    @Test func `programs read fields with stable names`() throws {
        let row = try #require(
            HistoryRow.rows(try versions(), countMax: 2, isDiff: true).last)
        #expect(
            row.report.line
                == #"{"number":30,"notedAt":"1970-01-01T00:00:31Z","event":"accepted","#
                + #""state":"found","updatedAt":null,"readAt":null,"hasPendingWrites":true,"#
                + #""batch":7,"user":"ada","uid":7,"gid":8,"pid":9,"unit":null,"#
                + #""program":"kiosk","error":null,"fields":{"map":{"a":1,"b":3},"n":2},"#
                + #""remoteFields":null,"changes":[{"field":"map.b","after":3},"#
                + #"{"field":"n","before":1,"after":2},{"field":"old","before":null}]}"#)
    }

    @Test func `a name or a value that a terminal takes for an order is escaped`() throws {
        let rows = HistoryRow.rows(try versions("\u{1B}[2J"), countMax: 3, isDiff: false)
        for format in ListFormat.allCases {
            let lines = format.lines(of: rows)
            #expect(lines.contains { $0.contains("\\u001b[2J") })
            for line in lines { #expect(!line.contains("\u{1B}")) }
        }
    }

    @Test func `spellings that Swift holds equal are told apart`() {
        let before = ValueLiteral.map([.init(name: "a", value: .string("\u{E9}"))])
        let after = ValueLiteral.map([.init(name: "a", value: .string("e\u{301}"))])
        #expect(FieldChange.changes(from: before, to: after).count == 1)
        #expect(FieldChange.changes(from: before, to: before).isEmpty)
    }

    @Test func `a moment is a time or how long ago`() {
        let now = Hearth.Timestamp(seconds: 10_000, nanoseconds: 5)
        #expect(MomentText("1970-01-01T00:00:09Z")?.moment(now: now).seconds == 9)
        #expect(MomentText("2h")?.moment(now: now).seconds == 2_800)
        #expect(MomentText("9h")?.moment(now: now).seconds == 0)
        #expect(MomentText("yesterday") == nil)
    }
}
