import HearthModel
import Testing

@testable import Hearth
@testable import HearthCLI

/// What `listen --format` prints of a snapshot.
struct SnapshotEventsTests {
    private func document(
        _ name: String, _ fields: [ValueLiteral.Field]? = [], isPending: Bool = false
    ) -> DocumentText {
        DocumentText(
            path: "rooms/\(name)", fields: fields.map(ValueLiteral.map),
            hasPendingWrites: isPending, isFromCache: true)
    }

    private func snapshot(
        _ changes: [SnapshotText.Change], _ documents: [DocumentText] = []
    ) -> SnapshotText {
        SnapshotText(
            number: 3, count: documents.count, isFromCache: true, hasPendingWrites: false,
            changes: changes, documents: documents)
    }

    @Test func `each change is an event of its own, in the order of the changes`() {
        let text = snapshot([
            .init(type: .removed, document: document("attic"), oldIndex: 0, newIndex: nil),
            .init(
                type: .added, document: document("hall", isPending: true), oldIndex: nil,
                newIndex: 1),
        ])
        #expect(
            StreamFormatOption.lines(of: text.events, as: .ndjson) == [
                #"{"snapshot":3,"type":"removed","path":"rooms/attic","oldIndex":0,"#
                    + #""newIndex":null,"fields":{},"isFromCache":true,"hasPendingWrites":false}"#,
                #"{"snapshot":3,"type":"added","path":"rooms/hall","oldIndex":null,"#
                    + #""newIndex":1,"fields":{},"isFromCache":true,"hasPendingWrites":true}"#,
            ])
        let line = StreamFormatOption.lines(of: text.events, as: .json)
        #expect(line.count == 1)
        #expect(line.first?.hasPrefix(#"[{"snapshot":3,"type":"removed""#) == true)
    }

    @Test func `a snapshot in which no document changed is told too`() {
        #expect(
            snapshot([]).events.map(\.line) == [
                #"{"snapshot":3,"type":"none","path":null,"oldIndex":null,"newIndex":null,"#
                    + #""fields":null,"isFromCache":true,"hasPendingWrites":false}"#
            ])
    }

    @Test func `a rejected write is an event before the changes that undo the write`() throws {
        let metadata = SnapshotMetadata(
            hasPendingWrites: false, isFromCache: false,
            rejectedWrites: [
                .init(BatchID(17), HearthError(code: .permissionDenied, message: "No."))
            ])
        var text = snapshot([
            .init(type: .modified, document: document("hall"), oldIndex: 0, newIndex: 0)
        ])
        text.rejectedWrites = metadata.rejectedWrites
        let lines = text.events.map(\.line)
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix(#"{"snapshot":3,"type":"rejected","batch":17,"error":"#))
        #expect(lines[1].contains(#""type":"modified""#))
    }

    @Test(arguments: [
        (false, true, DocumentChangeType.added), (true, true, .modified), (true, false, .removed),
    ])
    func `a document is told as the one result of a query`(
        existed: Bool, exists: Bool, type: DocumentChangeType
    ) {
        let changes = SnapshotText.changes(
            document("hall", exists ? [] : nil), existed: existed)
        #expect(changes.map(\.type) == [type])
        #expect(changes.map(\.oldIndex) == [existed ? 0 : nil])
        #expect(changes.map(\.newIndex) == [exists ? 0 : nil])
    }

    @Test func `a document that was not there and is not there has not changed`() {
        #expect(SnapshotText.changes(document("hall", nil), existed: false).isEmpty)
    }

    @Test func `the table has a sign at what changed, and a column for each field`() {
        let hall = document("hall", [.init(name: "seats", value: .integer(40))])
        let attic = document("attic", [.init(name: "name", value: .string("Attic"))])
        let change = SnapshotText.Change(
            type: .modified, document: hall, oldIndex: 1, newIndex: 1)
        #expect(
            snapshot([change], [attic, hall]).table(on: Screen()) == [
                "snapshot 3: 2 documents (from cache)",
                "   DOCUMENT     name     seats",
                "   rooms/attic  \"Attic\"      -",
                "~  rooms/hall   -           40",
            ])
        let short = snapshot([], [attic, hall]).table(on: Screen(), lineCountMax: 5)
        #expect(short.last == "and 1 more")
    }
}
