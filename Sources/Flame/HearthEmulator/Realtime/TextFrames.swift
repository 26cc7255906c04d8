import HearthProtocol
import NIOCore
import NIOWebSocket

/// A message as the bytes of a server's WebSocket frames: text, whole, without a mask.
///
/// All listeners of a change share the bytes, so no listener pays for the encoding.
struct TextFrames {
    /// The frames, one behind the other.
    let bytes: ByteBuffer

    /// The longest message that is one frame for sure.
    static let wholeByteCountMax = FrameSplitter.unitCountMax

    /// Cuts a message into as many frames as the protocol asks for. O(n).
    ///
    /// - Parameter message: UTF-8.
    init(of message: [UInt8]) {
        let pieces = FrameSplitter.frames(of: message)
        var bytes = ByteBuffer()
        bytes.reserveCapacity(pieces.reduce(0) { $0 + Self.headByteCountMax + $1.count })
        for piece in pieces {
            Self.writeHead(of: piece.count, kind: Self.wholeText, to: &bytes)
            bytes.writeBytes(piece)
        }
        self.bytes = bytes
    }

    /// The frame that controls a connection, such as a pong.
    ///
    /// - Parameter payload: At most 125 bytes, as in the client's frame that the frame answers.
    init(_ opcode: WebSocketOpcode, _ payload: ByteBuffer) {
        var bytes = ByteBuffer()
        Self.writeHead(
            of: payload.readableBytes, kind: Self.isLast | UInt8(webSocketOpcode: opcode),
            to: &bytes)
        bytes.writeImmutableBuffer(payload)
        self.bytes = bytes
    }

    /// Adds the head of the frame of a message that is one frame.
    static func writeHead(ofText byteCount: Int, to bytes: inout ByteBuffer) {
        writeHead(of: byteCount, kind: wholeText, to: &bytes)
    }

    /// The most bytes before a frame's payload.
    static let headByteCountMax = 10
    private static let isLast: UInt8 = 0x80
    /// The last frame of a message, which is text.
    private static let wholeText = isLast | 1

    /// - Source: RFC 6455, section 5.2.
    private static func writeHead(of byteCount: Int, kind: UInt8, to bytes: inout ByteBuffer) {
        bytes.writeInteger(kind)
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
