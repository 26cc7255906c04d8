import HearthBackend
import HearthModel
import HearthProtocol
import SwiftProtobuf

/// The answer to a commit, as bytes.
enum CommitAnswer {
    /// The bytes of a `CommitResponse`.
    ///
    /// Most results hold only a time. `bytes` writes such results directly, without generated
    /// messages.
    ///
    /// - Throws: `CodecError` for a transform's result that has no form on the wire.
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
