import Hearth
import HearthModel

/// Batches, dead letters and their writers as JSON.
enum BatchJSON {
    /// A process that wrote.
    static func json(of writer: PendingBatch.Writer) -> JSONValue {
        .members([
            "uid": .integer(Int64(writer.uid)), "userName": .text(UserNames.name(of: writer.uid)),
            "gid": .integer(Int64(writer.gid)), "pid": .integer(Int64(writer.pid)),
            "unit": .text(writer.unit), "program": .text(writer.program),
        ])
    }

    /// A batch that waits.
    ///
    /// - Parameter status: How its database is, for the reason why the batch waits.
    static func json(
        of batch: PendingBatch, _ status: DaemonStatus?, now: Hearth.Timestamp
    ) -> JSONValue {
        json(of: batch, why: WaitingReason.text(for: QueuedBatch(batch), status), now: now)
    }

    /// A batch, and why it stands where it stands.
    private static func json(
        of batch: PendingBatch, why: String, now: Hearth.Timestamp
    ) -> JSONValue {
        .members([
            "id": .integer(batch.id), "state": .string(batch.state.rawValue),
            "writtenAt": .string(batch.writtenAt.description),
            "ageSeconds": .seconds(batch.writtenAt.age(at: now)),
            "byteCount": .count(batch.byteCount), "writer": json(of: batch.writer),
            "paths": .texts(batch.documentPaths), "user": .string(batch.user),
            "heldBy": batch.heldBy.map { .integer($0) } ?? .null, "why": .string(why),
        ])
    }

    /// A batch that was rejected.
    static func json(of letter: DeadLetter, now: Hearth.Timestamp) -> JSONValue {
        let error = DaemonSource.told(letter.error.code, letter.error.message)
        let doubt = letter.error.mayHaveBeenApplied ? " The backend may have applied it." : ""
        return .members([
            "batch": json(of: letter.batch, why: error.message + doubt, now: now),
            "error": .fault(error),
            "mayHaveBeenApplied": .boolean(letter.error.mayHaveBeenApplied),
            "rejectedAt": .string(letter.rejectedAt.description),
            "cause": .string(error.code.name),
        ])
    }
}

extension Hearth.Timestamp {
    /// The time from this moment to `now`; never negative.
    func age(at now: Hearth.Timestamp) -> Duration {
        // A time from a restored file may be any.
        let (whole, isBeyond) = now.seconds.subtractingReportingOverflow(seconds)
        if isBeyond { return now.seconds < seconds ? .zero : .seconds(Int64.max) }
        return max(.zero, .seconds(whole) + .nanoseconds(now.nanoseconds - nanoseconds))
    }
}
