/// Cuts a stream of bytes into frames. The socket may cut the stream into chunks of any size.
///
/// The decoder hands out a frame in place if the whole frame lies in one chunk; else the decoder
/// copies each byte of the frame once. The decoder keeps the bytes of one frame at most. After an
/// error the decoder must not be used again.
package struct FrameDecoder: Sendable {
    private let byteCountMax: Int
    /// The header of a frame that has begun, 0 to 13 bytes.
    private var header: [UInt8] = []
    /// The body of a frame whose header is complete, as far as it has come.
    private var body: [UInt8] = []
    /// How many bytes the complete body has.
    private var bodyByteCount = 0

    /// A decoder at the beginning of a stream.
    ///
    /// - Parameter byteCountMax: The greatest `length` that is accepted.
    package init(byteCountMax: Int = WireLimits.frameByteCountMax) {
        self.byteCountMax = byteCountMax
        header.reserveCapacity(Frame.headerByteCount)
    }

    /// Whether a frame has begun and not ended. A stream that ends now is cut off.
    package var isInsideFrame: Bool { !header.isEmpty }

    /// How many bytes of a begun frame the decoder keeps.
    package var heldByteCount: Int { header.count + body.count }

    /// Takes the next bytes of the stream, and hands out the frames that the bytes complete.
    ///
    /// - Parameters:
    ///   - chunk: The next bytes.
    ///   - take: Gets kind, request and body. The body's bytes are valid only during the call.
    /// - Throws: A length that is too short or too long.
    package mutating func receive(
        _ chunk: RawSpan, _ take: (UInt8, UInt64, RawSpan) -> Void
    ) throws(FrameError) {
        var offset = 0
        if isInsideFrame {
            offset = try completeBegun(with: chunk, take)
            if isInsideFrame { return }
        }
        while chunk.byteCount - offset >= Frame.headerByteCount {
            let (kind, request, byteCount) = try Self.readHeader(
                chunk, at: offset, byteCountMax: byteCountMax)
            let start = offset + Frame.headerByteCount
            guard chunk.byteCount - start >= byteCount else { break }
            take(kind, request, chunk.extracting(start..<start + byteCount))
            offset = start + byteCount
        }
        if offset < chunk.byteCount {
            // The bytes left are less than one frame, so `take` is not called here.
            _ = try completeBegun(with: chunk.extracting(offset...), take)
        }
    }

    /// Takes the next bytes of the stream and returns the frames that the bytes complete.
    ///
    /// - Throws: A length that is too short or too long.
    package mutating func frames(from chunk: [UInt8]) throws(FrameError) -> [Frame] {
        var frames: [Frame] = []
        try receive(chunk.span.bytes) { kind, request, body in
            frames.append(
                Frame(kind: kind, request: request, body: body.withUnsafeBytes { [UInt8]($0) }))
        }
        return frames
    }

    /// Goes on with the begun frame, and returns how many bytes of `chunk` the frame took.
    private mutating func completeBegun(
        with chunk: RawSpan, _ take: (UInt8, UInt64, RawSpan) -> Void
    ) throws(FrameError) -> Int {
        var offset = 0
        if header.count < Frame.headerByteCount {
            offset = min(Frame.headerByteCount - header.count, chunk.byteCount)
            append(chunk.extracting(0..<offset), to: &header)
            guard header.count == Frame.headerByteCount else { return offset }
            bodyByteCount =
                try Self.readHeader(
                    header.span.bytes, at: 0, byteCountMax: byteCountMax
                ).byteCount
            body.reserveCapacity(bodyByteCount)
        }
        let count = min(bodyByteCount - body.count, chunk.byteCount - offset)
        append(chunk.extracting(offset..<offset + count), to: &body)
        if body.count == bodyByteCount {
            let (kind, request, _) = try Self.readHeader(
                header.span.bytes, at: 0, byteCountMax: byteCountMax)
            take(kind, request, body.span.bytes)
            header.removeAll(keepingCapacity: true)
            body = []
        }
        return offset + count
    }

    private static func readHeader(
        _ bytes: RawSpan, at offset: Int, byteCountMax: Int
    ) throws(FrameError) -> (kind: UInt8, request: UInt64, byteCount: Int) {
        let length = Int(
            UInt32(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        guard length >= Frame.prefixByteCount else { throw .tooShort(byteCount: length) }
        guard length <= byteCountMax else {
            throw .tooLong(byteCount: length, byteCountMax: byteCountMax)
        }
        let kind = bytes.unsafeLoad(
            fromByteOffset: offset + Frame.lengthByteCount, as: UInt8.self)
        let request = UInt64(
            bigEndian: bytes.unsafeLoadUnaligned(
                fromByteOffset: offset + Frame.lengthByteCount + 1, as: UInt64.self))
        return (kind, request, length - Frame.prefixByteCount)
    }

    private func append(_ bytes: RawSpan, to array: inout [UInt8]) {
        bytes.withUnsafeBytes { array.append(contentsOf: $0) }
    }
}
