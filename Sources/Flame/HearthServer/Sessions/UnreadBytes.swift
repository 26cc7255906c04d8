package import NIOCore

/// What was read of a connection and waits to be taken, a slice at a time.
package struct UnreadBytes {
    private var buffer = ByteBuffer()

    /// Nothing waits.
    package init() {}

    /// How many bytes wait.
    package var byteCount: Int { buffer.readableBytes }

    /// Puts the bytes of a read behind those that wait.
    package mutating func append(_ read: ByteBuffer) {
        if byteCount == 0 { buffer = read } else { buffer.writeImmutableBuffer(read) }
    }

    /// Takes the next slice; `nil` if nothing waits. An idle connection keeps no buffer.
    package mutating func nextSlice() -> ByteBuffer? {
        let length = min(byteCount, LoopLimits.sliceByteCount)
        guard length > 0, let slice = buffer.readSlice(length: length) else { return nil }
        if byteCount == 0 { buffer = ByteBuffer() }
        return slice
    }
}
