import HearthModel
import NIOCore
import SwiftProtobuf

extension Message {
    /// Reads an answer of the backend.
    ///
    /// Bytes that are no message are the backend's fault, not ours. The difference matters: a write
    /// whose stream ends with our fault is rejected for good.
    init(answer bytes: ByteBuffer) throws(HearthError) {
        do {
            try self.init(serializedBytes: Array(bytes.readableBytesView))
        } catch {
            throw HearthError(
                code: .internalError,
                message: "The backend's answer is no readable \(Self.protoMessageName).")
        }
    }
}
