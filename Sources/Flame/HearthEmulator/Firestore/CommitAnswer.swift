import HearthBackend
import HearthModel
import HearthProtocol
import SwiftProtobuf

/// What a commit is answered with, as bytes.
enum CommitAnswer {
    /// The bytes of a `CommitResponse`.
    ///
    /// Most results are a time each, and are written without generated messages between.
    static func bytes(
        of outcome: CommitOutcome, in database: DatabaseID
    ) throws(CodecError) -> [UInt8] {
        guard outcome.results.allSatisfy({ $0.transformResults.isEmpty }) else {
            var response = ProtoCommitResponse()
            response.writeResults = try FirestoreService.results(of: outcome, in: database)
            response.commitTime = FirestoreCodec.encode(outcome.version.timestamp)
            return FirestoreCodec.bytes(of: response)
        }
        var writer = WireWriter(capacity: 16 * (outcome.results.count + 1))
        for result in outcome.results {
            let start = writer.begin(1)
            if result.version != .zero { write(result.version.timestamp, 1, to: &writer) }
            writer.end(start)
        }
        write(outcome.version.timestamp, 2, to: &writer)
        return writer.bytes
    }

    private static func write(_ time: Timestamp, _ field: UInt8, to writer: inout WireWriter) {
        let start = writer.begin(field)
        if time.seconds != 0 { writer.varint(1, UInt64(bitPattern: time.seconds)) }
        if time.nanoseconds != 0 { writer.varint(2, UInt64(time.nanoseconds)) }
        writer.end(start)
    }
}
