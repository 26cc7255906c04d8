import HearthModel
package import NIOCore

/// Cuts the bytes of a gRPC stream into messages.
///
/// Shape: compressed u8, 0 or 1 | length u32 BE | message. `length` counts the bytes of the
/// message.
struct GRPCMessageDecoder {
    /// The bytes before each message.
    static let prefixByteCount = 5

    /// The coding of messages whose flag says that the message is packed.
    var coding = ContentCoding.identity

    private var bytes = ByteBuffer()
    private let byteCountMax: Int

    /// Accepts messages of up to `byteCountMax` bytes.
    init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// Memory that is held for those bytes.
    var heldByteCount: Int { bytes.storageCapacity }

    /// How many bytes wait for the rest of their message.
    var waitingByteCount: Int { bytes.readableBytes }

    /// Adds bytes as they came.
    mutating func append(_ data: ByteBuffer) {
        if bytes.readableBytes == 0 {
            bytes = data
        } else {
            // A stream whose frames never end with a message would else keep all that was ever read.
            if bytes.readerIndex > bytes.readableBytes { bytes.discardReadBytes() }
            bytes.writeImmutableBuffer(data)
        }
    }

    /// The next whole message; `nil` if part of the message is missing.
    ///
    /// - Throws: `invalidArgument` for a message that is too large. `internalError` for a flag that
    ///   gRPC does not have, for a packed message if the headers named no coding, and for a message
    ///   that cannot be unpacked. The decoder can read nothing after an error.
    mutating func next() throws(HearthError) -> ByteBuffer? {
        let start = bytes.readerIndex
        guard let flag = bytes.getInteger(at: start, as: UInt8.self) else { return nil }
        guard flag <= 1 else {
            throw HearthError(
                code: .internalError, message: "A message begins with \(flag), not with 0 or 1.")
        }
        guard flag == 0 || coding != .identity else {
            throw HearthError(
                code: .internalError,
                message: "A message is compressed, and grpc-encoding does not say how.")
        }
        guard let length = bytes.getInteger(at: start + 1, as: UInt32.self) else { return nil }
        guard Int(length) <= byteCountMax else { throw .tooLarge }
        let total = Self.prefixByteCount + Int(length)
        guard bytes.readableBytes >= total else { return nil }
        bytes.moveReaderIndex(forwardBy: Self.prefixByteCount)
        guard let message = bytes.readSlice(length: Int(length)) else { return nil }
        return flag == 0 ? message : try unpacked(message)
    }

    /// Lets go of everything.
    mutating func clear() { bytes = ByteBuffer() }

    /// Frees the bytes in front of the waiting messages, and the bytes that came with them in one
    /// read.
    mutating func compact() {
        if bytes.readableBytes == 0 {
            clear()
        } else {
            bytes = bytes.compacted()
        }
    }

    private func unpacked(_ message: ByteBuffer) throws(HearthError) -> ByteBuffer {
        let (coding, byteCountMax) = (coding, byteCountMax)
        let result = message.withUnsafeReadableBytes { bytes in
            Result { () throws(HearthError) in
                try coding.unpacked(bytes, byteCountMax: byteCountMax)
            }
        }
        return ByteBuffer(bytes: try result.get())
    }
}

extension ByteBuffer {
    /// Memory that may be held besides the bytes themselves.
    private static let spareByteCountMax = 512

    /// The same bytes, in memory of their own if they would hold much more of the read they came in.
    package func compacted() -> ByteBuffer {
        guard storageCapacity > 2 * readableBytes + Self.spareByteCountMax else { return self }
        return ByteBuffer(bytes: readableBytesView)
    }

    /// Appends a message behind the five bytes of its gRPC prefix.
    mutating func writeGRPCMessage(_ message: [UInt8]) {
        reserveCapacity(
            minimumWritableBytes: message.count + GRPCMessageDecoder.prefixByteCount)
        writeInteger(UInt8(0))
        writeInteger(UInt32(message.count))
        writeBytes(message)
    }
}
