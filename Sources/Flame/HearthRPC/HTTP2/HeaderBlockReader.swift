/// Reads the numbers and texts of a block of headers, from its beginning to its end.
struct HeaderBlockReader {
    /// A text, with the number of its bytes as decoded, before bytes that are no UTF-8 were mended.
    struct Text {
        let content: String
        let byteCount: Int
    }

    /// The most bytes that a number may have behind its first.
    private static let integerByteCountMax = 4

    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    /// A reader at the beginning of a block.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next byte, which stays; `nil` at the end.
    var first: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Reads a number that begins in the lower `prefix` bits of a byte.
    mutating func integer(prefix: Int) throws(HTTP2Fault) -> Int {
        let mask = UInt8((1 << prefix) - 1)
        let first = try byte() & mask
        if first < mask { return Int(first) }
        var value = Int(mask)
        for position in 0..<Self.integerByteCountMax {
            let next = try byte()
            value += Int(next & 0x7F) << (7 * position)
            if next & 0x80 == 0 { return value }
        }
        throw .badHeaders
    }

    /// Reads a text, which may be shortened. Bytes that are no text are replaced.
    mutating func text() throws(HTTP2Fault) -> Text {
        guard let first else { throw .badHeaders }
        let count = try integer(prefix: 7)
        guard count <= bytes.count - index else { throw .badHeaders }
        let content = bytes.part(index..<index + count)
        index += count
        if first & 0x80 == 0 {
            return Text(content: String(decoding: content, as: UTF8.self), byteCount: count)
        }
        var text: [UInt8] = []
        text.reserveCapacity(count * 8 / 5)
        guard HuffmanCode.decode(content, into: &text) else { throw .badHeaders }
        return Text(content: String(decoding: text, as: UTF8.self), byteCount: text.count)
    }

    private mutating func byte() throws(HTTP2Fault) -> UInt8 {
        guard index < bytes.count else { throw .badHeaders }
        defer { index += 1 }
        return bytes[index]
    }
}
