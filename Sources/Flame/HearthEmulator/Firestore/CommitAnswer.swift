import HearthBackend
import HearthModel
import HearthProtocol
import SwiftProtobuf

/// The answers to commits, as bytes.
///
/// Most results hold only a time. `CommitAnswer` writes such results directly, without generated
/// messages.
enum CommitAnswer {
    /// The bytes of a `CommitResponse`.
    ///
    /// - Throws: `CodecError` for a transform's result that has no form on the wire.
    static func bytes(
        of outcome: CommitOutcome, in database: DatabaseID
    ) throws(CodecError) -> [UInt8] {
        var writer = WireWriter(capacity: 16 * (outcome.results.count + 1))
        for result in outcome.results { try write(result, in: database, to: &writer) }
        write(outcome.version.timestamp, 2, to: &writer)
        return writer.bytes
    }

    /// The bytes of a `BatchWriteResponse`.
    ///
    /// - Parameter answers: Of commits of one write each.
    /// - Throws: `CodecError` for a transform's result that has no form on the wire.
    static func bytes(
        of answers: [Result<CommitOutcome, HearthError>], in database: DatabaseID
    ) throws(CodecError) -> [UInt8] {
        var writer = WireWriter(capacity: 18 * answers.count)
        for answer in answers {
            if case .success(let outcome) = answer, let result = outcome.results.first {
                try write(result, in: database, to: &writer)
            } else {
                writer.data(1, [])
            }
        }
        for answer in answers {
            switch answer {
            case .success: writer.data(2, [])
            case .failure(let error):
                writer.data(2, FirestoreCodec.bytes(of: FirestoreCodec.encode(error)))
            }
        }
        return writer.bytes
    }

    /// Writes a `WriteResult` as field 1.
    private static func write(
        _ result: Mutation.Result, in database: DatabaseID, to writer: inout WireWriter
    ) throws(CodecError) {
        guard result.transformResults.isEmpty else {
            let message = try FirestoreCodec(database: database).encode(result)
            return writer.data(1, FirestoreCodec.bytes(of: message))
        }
        let start = writer.begin(1)
        if result.version != .zero { write(result.version.timestamp, 1, to: &writer) }
        writer.end(start)
    }

    private static func write(_ time: Timestamp, _ field: UInt8, to writer: inout WireWriter) {
        let start = writer.begin(field)
        if time.seconds != 0 { writer.varint(1, UInt64(bitPattern: time.seconds)) }
        if time.nanoseconds != 0 { writer.varint(2, UInt64(time.nanoseconds)) }
        writer.end(start)
    }
}
