/// One message on the socket, with the message's kind and the number of its request.
///
/// Shape: length u32 BE | kind u8 | request u64 BE | body. length counts the bytes behind itself.
///
/// The body of a frame does not hold the request's number, so one encoded event serves many
/// listeners: copy the frame and change `request`. The copies share the bytes of the body.
package struct Frame: Hashable, Sendable {
    /// The message's kind: a number of `RequestKind` or `EventKind` of `hearth.proto`.
    package var kind: UInt8
    /// The request's number, chosen by the client; 0 for the whole session.
    package var request: UInt64
    /// The message.
    package var body: [UInt8]

    /// Frames a message.
    ///
    /// - Parameters:
    ///   - kind: The message's kind: a number of `RequestKind` or `EventKind` of `hearth.proto`.
    ///   - request: The request's number, chosen by the client; 0 for the whole session.
    ///   - body: The message.
    package init(kind: UInt8, request: UInt64, body: [UInt8]) {
        self.kind = kind
        self.request = request
        self.body = body
    }

    /// Bytes of `length` itself.
    package static let lengthByteCount = 4
    /// Bytes of kind and request. `length` counts these bytes, too.
    package static let prefixByteCount = 9
    /// Bytes before the body.
    package static let headerByteCount = lengthByteCount + prefixByteCount
    /// Bytes of the greatest body. Kind, request and body together must keep the limit.
    package static let bodyByteCountMax = WireLimits.frameByteCountMax - prefixByteCount
}

/// An error in a stream of frames. The session ends, because nothing after the error can be read.
package enum FrameError: Error, Hashable, Sendable {
    /// `length` is less than the bytes of kind and request.
    case tooShort(byteCount: Int)
    /// `length` is beyond the limit.
    case tooLong(byteCount: Int, byteCountMax: Int)
}

extension FrameError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooShort(let byteCount):
            "A frame says it has \(byteCount) bytes; the least is \(Frame.prefixByteCount)."
        case .tooLong(let byteCount, let byteCountMax):
            "A frame says it has \(byteCount) bytes; the limit is \(byteCountMax)."
        }
    }
}
