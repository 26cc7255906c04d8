/// What a client has said about itself in SETTINGS, as far as a server needs to know.
struct PeerSettings: Equatable {
    /// Bytes of one setting: its number and its value.
    static let settingByteCount = 6
    /// The largest window that there can be.
    static let windowByteCountMax = 0x7FFF_FFFF
    private static let frameByteCounts = 16_384...16_777_215

    /// How large the client's table of headers may be.
    private(set) var tableByteCount = 4_096
    /// The smallest size of the header table in the last frame of settings, or the size before the
    /// frame if that was smaller.
    private(set) var leastTableByteCount = 4_096
    /// Bytes that a new stream may carry to the client.
    private(set) var windowByteCount = 65_535
    /// The largest payload of a frame to the client.
    private(set) var frameByteCount = 16_384

    /// Takes the payload of a frame. Settings that are not known here are skipped.
    ///
    /// - Throws: The code that HTTP/2 has for the wrong value.
    mutating func take(_ payload: UnsafeRawBufferPointer) throws(HTTP2Fault) {
        guard payload.count % Self.settingByteCount == 0 else {
            throw HTTP2Fault(.frameSizeError, "SETTINGS end within a setting")
        }
        leastTableByteCount = tableByteCount
        for index in stride(from: 0, to: payload.count, by: Self.settingByteCount) {
            let number = Int(payload[index]) << 8 | Int(payload[index + 1])
            try take(number, Int(payload.number(at: index + 2)))
        }
    }

    private mutating func take(_ number: Int, _ value: Int) throws(HTTP2Fault) {
        switch number {
        case 1:
            tableByteCount = value
            leastTableByteCount = min(leastTableByteCount, value)
        case 2 where value > 1:
            throw HTTP2Fault(.protocolError, "ENABLE_PUSH is neither 0 nor 1")
        case 4:
            guard value <= Self.windowByteCountMax else {
                throw HTTP2Fault(.flowControlError, "INITIAL_WINDOW_SIZE is too large")
            }
            windowByteCount = value
        case 5:
            guard Self.frameByteCounts.contains(value) else {
                throw HTTP2Fault(.protocolError, "MAX_FRAME_SIZE is out of its range")
            }
            frameByteCount = value
        default: break
        }
    }
}
