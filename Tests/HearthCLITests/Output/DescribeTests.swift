import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthCLI

struct DescribeTests {
    private static let now = Hearth.Timestamp(seconds: 100, nanoseconds: 0)

    private func description() throws -> Hearth.DocumentDescription {
        let key = try DocumentKey(parsing: "rooms/hall")
        let version = SnapshotVersion(HearthModel.Timestamp(seconds: 40, nanoseconds: 0))
        var document = Document.found(key, at: version, .empty)
        document.readAt = SnapshotVersion(HearthModel.Timestamp(seconds: 95, nanoseconds: 0))
        let batch = QueuePage.Batch(
            id: BatchID(12), state: .queued,
            writtenAt: HearthModel.Timestamp(seconds: 97, nanoseconds: 0), byteCount: 7,
            writer: Writer(uid: 7, gid: 8, pid: 9, program: "lamps"),
            content: .documents([key], []))
        return Hearth.DocumentDescription(
            .init(document, isInTarget: true, batches: [batch]))
    }

    @Test func `people read what the cache holds and who has writes waiting`() throws {
        #expect(
            DescribeCommand.lines(try description(), now: Self.now) == [
                "cache: found, changed 1970-01-01T00:00:40Z (60 s ago), "
                    + "read 1970-01-01T00:01:35Z (5 s ago)",
                "query: holds it", "queue: 12  queued  3 s  7 B  lamps[9] of uid 7  rooms/hall",
            ])
        let nothing = Hearth.DocumentDescription(
            .init(
                .invalid(try DocumentKey(parsing: "rooms/hall")), isInTarget: false, batches: []))
        #expect(
            DescribeCommand.lines(nothing, now: Self.now)
                == ["cache: nothing is known", "query: none holds it", "queue: nothing waits"])
    }

    @Test func `programs read fields with stable names`() throws {
        let path = try DocumentPath.parse("rooms/hall")
        let line = DescribeCommand.report(try description(), of: path, now: Self.now).line
        #expect(
            line.hasPrefix(
                #"{"path":"rooms/hall","state":"found","updatedAt":"1970-01-01T00:00:40Z","#
                    + #""readAt":"1970-01-01T00:01:35Z","isHeldByQuery":true,"batches":[{"batch":12,"#
            ))
    }
}
