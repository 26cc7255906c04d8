import HearthEngine
import HearthModel
import HearthWire

extension Samples {
    /// A batch in which every part is told.
    static func batch() throws -> QueuePage.Batch {
        var batch = QueuePage.Batch(
            id: BatchID(3), state: .sentUnanswered,
            writtenAt: Timestamp(seconds: 10, nanoseconds: 0), byteCount: 99,
            writer: Writer(
                uid: 1000, gid: 100, pid: 4_242, unit: "lamp.service", program: "lamp"),
            content: .documents(
                [try key("a/b")], [Mutation(key: try key("a/b"), kind: .delete)]))
        batch.terms = SendingTerms(
            expiresAt: Timestamp(seconds: 20, nanoseconds: 5_000), isOnlineOnly: true)
        batch.demands = [
            QueuePage.Batch.Demand(try key("a/b"), .exists(false)),
            QueuePage.Batch.Demand(
                try key("a/c"), .updateTime(SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 2)))
            ),
        ]
        return batch
    }
}
