/// What stands before the payload of a frame.
///
/// Shape: length u24 BE | type u8 | flags u8 | stream u32 BE. `length` counts what follows.
struct FrameHead: Equatable {
    /// The bytes of a head.
    static let byteCount = 9

    /// The types of frames that HTTP/2 began with. Frames of other types are skipped.
    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, push, ping, goAway, windowUpdate
        case continuation
    }

    /// Which flags are set; their meaning depends on the frame's type.
    struct Flags: OptionSet {
        let rawValue: UInt8

        /// The sender ends the stream with this frame.
        static let endStream = Flags(rawValue: 1)
        /// The frame answers a frame of the same type.
        static let acknowledgement = Flags(rawValue: 1)
        /// The block of headers is whole.
        static let endHeaders = Flags(rawValue: 4)
        /// The payload begins with a count of bytes that follow it and mean nothing.
        static let padded = Flags(rawValue: 8)
        /// Five bytes about priority stand before the headers.
        static let priority = Flags(rawValue: 32)
    }

    /// Bytes of the payload.
    let length: Int
    /// The type; `nil` for one that is not known here.
    let kind: Kind?
    /// The flags.
    let flags: Flags
    /// The stream that the frame belongs to.
    let stream: StreamID

    /// Reads a head; `nil` if bytes are missing.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount else { return nil }
        length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        kind = Kind(rawValue: bytes[3])
        flags = Flags(rawValue: bytes[4])
        stream = StreamID(bytes.number(at: 5))
    }

    /// The whole bytes of the frame.
    var frameByteCount: Int { Self.byteCount + length }
}

extension UnsafeRawBufferPointer {
    /// The four bytes at a place, which must exist, as a number.
    func number(at index: Int) -> UInt32 {
        UInt32(self[index]) << 24 | UInt32(self[index + 1]) << 16 | UInt32(self[index + 2]) << 8
            | UInt32(self[index + 3])
    }

    /// A part of the bytes, counted from its own beginning.
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }
}

extension [UInt8] {
    /// Appends the head of a frame.
    mutating func appendFrameHead(
        _ kind: FrameHead.Kind, _ flags: FrameHead.Flags = [], on stream: StreamID, length: Int
    ) {
        append(UInt8(truncatingIfNeeded: length >> 16))
        append(UInt8(truncatingIfNeeded: length >> 8))
        append(UInt8(truncatingIfNeeded: length))
        append(kind.rawValue)
        append(flags.rawValue)
        appendNumber(stream.number)
    }

    /// Writes the length of a frame anew that begins at `index`.
    mutating func setFrameLength(_ length: Int, at index: Int) {
        self[index] = UInt8(truncatingIfNeeded: length >> 16)
        self[index + 1] = UInt8(truncatingIfNeeded: length >> 8)
        self[index + 2] = UInt8(truncatingIfNeeded: length)
    }

    /// Appends a number of four bytes.
    mutating func appendNumber(_ number: UInt32) {
        append(UInt8(truncatingIfNeeded: number >> 24))
        append(UInt8(truncatingIfNeeded: number >> 16))
        append(UInt8(truncatingIfNeeded: number >> 8))
        append(UInt8(truncatingIfNeeded: number))
    }
}
