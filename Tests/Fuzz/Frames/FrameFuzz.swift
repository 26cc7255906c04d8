import HearthWire

/// Feeds a stream of any bytes to the frame decoder, whole and in pieces: it must not crash, and must
/// find the same frames, and the same fault, however the stream is cut.
///
/// The first byte chooses the pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let stream = input.dropFirst()
    let whole = FrameRun(stream, cutBy: nil)
    let pieces = FrameRun(stream, cutBy: input[0])
    precondition(whole == pieces, "Cut otherwise, the stream holds other frames")
    // Writing the frames again gives the bytes that were read, except for a rest that is no whole
    // frame.
    let written = whole.frames.flatMap { FrameEncoder.bytes(of: $0) }
    precondition(stream.starts(with: written), "A frame is written otherwise than it was read")
    return 0
}

/// What a decoder makes of a stream.
struct FrameRun: Equatable {
    /// A small limit, so that the fuzzer reaches the limit.
    private static let byteCountMax = 4_096

    private(set) var frames: [Frame] = []
    private(set) var error: FrameError?
    private(set) var isInsideFrame = false

    /// - Parameter seed: Chooses the sizes of the pieces; `nil` for one piece.
    init(_ stream: ArraySlice<UInt8>, cutBy seed: UInt8?) {
        var decoder = FrameDecoder(byteCountMax: Self.byteCountMax)
        var rest = stream
        var state = UInt32(seed ?? 0)
        do throws(FrameError) {
            while !rest.isEmpty {
                state = state &* 1_664_525 &+ 1_013_904_223
                let size = seed == nil ? rest.count : 1 + Int(state >> 16) % 40
                let piece = Array(rest.prefix(size))
                rest = rest.dropFirst(size)
                try decoder.receive(piece.span.bytes) { kind, request, body in
                    frames.append(
                        Frame(
                            kind: kind, request: request,
                            body: body.withUnsafeBytes { [UInt8]($0) }))
                }
            }
            isInsideFrame = decoder.isInsideFrame
        } catch {
            self.error = error
        }
    }
}
