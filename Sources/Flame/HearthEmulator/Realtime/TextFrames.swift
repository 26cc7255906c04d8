import HearthProtocol
import NIOCore

/// A message as the bytes of a server's WebSocket frames: text, whole, without a mask.
///
/// All listeners of a change share the bytes, so no listener pays for the encoding.
struct TextFrames {
    /// The frames, one behind the other.
    let bytes: ByteBuffer

    /// Cuts a message into as many frames as the protocol asks for. O(n).
    ///
    /// - Parameter message: UTF-8.
    init(of message: [UInt8]) {
        let pieces = FrameSplitter.frames(of: message)
        var bytes = ByteBuffer()
        bytes.reserveCapacity(pieces.reduce(0) { $0 + Self.headByteCountMax + $1.count })
        for piece in pieces {
            Self.writeHead(of: piece.count, to: &bytes)
            bytes.writeBytes(piece)
        }
        self.bytes = bytes
    }

    private static let headByteCountMax = 10
    /// The last frame of a message, which is text.
    private static let wholeText: UInt8 = 0x81

    /// - Source: RFC 6455, section 5.2.
    private static func writeHead(of byteCount: Int, to bytes: inout ByteBuffer) {
        bytes.writeInteger(wholeText)
        switch byteCount {
        case ..<126: bytes.writeInteger(UInt8(byteCount))
        case ..<(1 << 16):
            bytes.writeInteger(126 as UInt8)
            bytes.writeInteger(UInt16(byteCount))
        default:
            bytes.writeInteger(127 as UInt8)
            bytes.writeInteger(UInt64(byteCount))
        }
    }
}
