/// Joins frames to bytes for a socket. One write then sends many frames.
package struct FrameEncoder: Sendable {
    /// The bytes to write.
    package private(set) var bytes: [UInt8] = []

    /// An encoder with nothing to write.
    package init() {}

    /// Appends a frame, under its own request number or another.
    package mutating func append(_ frame: Frame, request: UInt64? = nil) {
        bytes.reserveCapacity(bytes.count + Frame.headerByteCount + frame.body.count)
        Self.appendHeader(of: frame, request: request ?? frame.request, to: &bytes)
        bytes.append(contentsOf: frame.body)
    }

    /// Takes all bytes out of the encoder.
    package mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// The bytes of one frame.
    package static func bytes(of frame: Frame) -> [UInt8] {
        var encoder = FrameEncoder()
        encoder.append(frame)
        return encoder.bytes
    }

    /// The 13 bytes before the body, for callers that write the header and a shared body
    /// separately.
    package static func header(of frame: Frame, request: UInt64) -> [UInt8] {
        var header: [UInt8] = []
        header.reserveCapacity(Frame.headerByteCount)
        appendHeader(of: frame, request: request, to: &header)
        return header
    }

    private static func appendHeader(of frame: Frame, request: UInt64, to bytes: inout [UInt8]) {
        precondition(
            frame.body.count <= Frame.bodyByteCountMax,
            "A frame of kind \(frame.kind) has a body of \(frame.body.count) bytes")
        appendBigEndian(UInt32(Frame.prefixByteCount + frame.body.count), to: &bytes)
        bytes.append(frame.kind)
        appendBigEndian(request, to: &bytes)
    }

    private static func appendBigEndian(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
