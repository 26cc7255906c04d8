import GRPCCore
import GRPCProtobuf
import HearthModel
import HearthProtocol
import SwiftProtobuf

// Bytes that are no message are the backend's fault, which gRPC's own reader calls ours. The
// difference matters: a write whose stream ends with our fault is rejected for good.

/// Reads messages.
struct AnswerDeserializer<Answer: Message>: MessageDeserializer {
    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> Answer {
        do {
            return try ProtobufDeserializer<Answer>().deserialize(bytes)
        } catch {
            throw RPCError(
                code: .internalError,
                message: "The backend's answer is no readable \(Answer.protoMessageName).")
        }
    }
}

/// Reads the watch stream straight into our own values.
struct WatchDeserializer: MessageDeserializer {
    let codec: FirestoreCodec

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> WatchChange {
        try bytes.withUnsafeBytes { bytes in
            do throws(CodecError) {
                return try codec.watchChange(fromBytes: bytes)
            } catch {
                throw RPCError(
                    code: .internalError, message: "The backend's answer cannot be read. \(error)")
            }
        }
    }
}
