/// What goes over the socket: one message, with its kind and the request it belongs to.
///
/// Shape: length u32 BE | kind u8 | request u64 BE | body. length counts what follows it.
///
/// The body of a frame does not say whose it is, so that one encoded event serves many listeners:
/// copy the frame and change `request`; the copies share the bytes of the body.
package struct Frame: Hashable, Sendable {
    /// Which message the body is: a number of `RequestKind` or `EventKind` of `hearth.proto`.
    package var kind: UInt8
    /// The request, chosen by the client; 0 for the whole session.
    package var request: UInt64
    /// The message.
    package var body: [UInt8]

    /// Frames a message.
    package init(kind: UInt8, request: UInt64, body: [UInt8]) {
        self.kind = kind
        self.request = request
        self.body = body
    }

    /// Bytes of `length` itself.
    package static let lengthByteCount = 4
    /// Bytes of kind and request, which `length` counts.
    package static let prefixByteCount = 9
    /// Bytes before the body.
    package static let headerByteCount = lengthByteCount + prefixByteCount
    /// The greatest body, so that kind, request and body keep the limit.
    package static let bodyByteCountMax = WireLimits.frameByteCountMax - prefixByteCount
}

/// What is wrong with a stream of frames. The session ends; nothing after it can be read.
package enum FrameError: Error, Hashable, Sendable {
    /// `length` does not even cover kind and request.
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
