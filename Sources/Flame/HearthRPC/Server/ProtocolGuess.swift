import NIOCore

/// Tells HTTP/2 from HTTP/1.1 by a connection's first bytes.
enum ProtocolGuess: Equatable {
    case http1
    case http2
    /// More bytes are needed.
    case unknown

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Judges by the bytes that have come so far.
    init(_ bytes: ByteBufferView) {
        if bytes.isEmpty {
            self = .unknown
        } else if !bytes.prefix(Self.preface.count).elementsEqual(Self.preface.prefix(bytes.count))
        {
            self = .http1
        } else {
            self = bytes.count < Self.preface.count ? .unknown : .http2
        }
    }
}
