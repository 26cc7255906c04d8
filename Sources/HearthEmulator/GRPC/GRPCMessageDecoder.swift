import HearthModel
import NIOCore

/// Cuts the bytes of a gRPC stream into messages.
///
/// Shape: compressed u8, 0 or 1 | length u32 BE | message. `length` counts what follows it.
struct GRPCMessageDecoder {
    /// The bytes before each message.
    static let prefixByteCount = 5

    private var bytes = ByteBuffer()
    private let byteCountMax: Int

    /// Accepts messages of up to so many bytes.
    init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// How many bytes wait for the rest of their message.
    var waitingByteCount: Int { bytes.readableBytes }

    /// Adds bytes as they came.
    mutating func append(_ data: ByteBuffer) {
        if bytes.readableBytes == 0 {
            bytes = data
        } else {
            bytes.writeImmutableBuffer(data)
        }
    }

    /// The next whole message; `nil` if it is not all there.
    ///
    /// - Throws: `unimplemented` for a compressed message, `resourceExhausted` for one that is too
    ///   large, `internalError` for a flag that gRPC does not have. Nothing can be read after that.
    mutating func next() throws(HearthError) -> ByteBuffer? {
        let start = bytes.readerIndex
        guard let flag = bytes.getInteger(at: start, as: UInt8.self) else { return nil }
        switch flag {
        case 0: break
        case 1:
            throw HearthError(
                code: .unimplemented,
                message: "Compressed messages are not supported; send them as they are.")
        default:
            throw HearthError(
                code: .internalError, message: "A message begins with \(flag), not with 0 or 1.")
        }
        guard let length = bytes.getInteger(at: start + 1, as: UInt32.self) else { return nil }
        guard Int(length) <= byteCountMax else {
            throw HearthError(
                code: .resourceExhausted,
                message: "A request of \(length) bytes is larger than \(byteCountMax).")
        }
        let total = Self.prefixByteCount + Int(length)
        guard bytes.readableBytes >= total else { return nil }
        bytes.moveReaderIndex(forwardBy: Self.prefixByteCount)
        return bytes.readSlice(length: Int(length))
    }
}

extension ByteBuffer {
    /// Appends a message with what gRPC writes before it.
    mutating func writeGRPCMessage(_ message: [UInt8]) {
        reserveCapacity(
            minimumWritableBytes: message.count + GRPCMessageDecoder.prefixByteCount)
        writeInteger(UInt8(0))
        writeInteger(UInt32(message.count))
        writeBytes(message)
    }
}
