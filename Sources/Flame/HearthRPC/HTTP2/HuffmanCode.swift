/// HPACK's code for shorter text: frequent characters have few bits.
///
/// The code is canonical: the numbers of bits tell the codes. Codes of one length follow each other
/// in the order of their bytes, and shorter codes come first.
///
/// Source: RFC 7541, appendix B.
enum HuffmanCode {
    /// The number of bits of each byte's code, and of the code that stands for the end.
    static let bitCounts: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28,
        30, 28, 28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6,
        6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5,
        6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20,
        22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23,
        23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21,
        22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20,
        19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21,
        21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26,
        23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
    ]

    /// The codes of one length.
    private struct Length {
        let bitCount: Int
        /// The first code behind the codes of this length, with the code's highest bit at bit 31.
        let end: UInt64
        /// The first code of the length, in the same place.
        let first: UInt64
        /// The place of the first code's byte in `symbols`.
        let offset: Int
    }

    /// The bytes in the order of their codes; behind all of them the end.
    private static let symbols: [UInt16] = (0..<UInt16(bitCounts.count)).sorted {
        (bitCounts[Int($0)], $0) < (bitCounts[Int($1)], $1)
    }

    private static let lengths: [Length] = {
        var lengths: [Length] = []
        var code: UInt64 = 0
        var offset = 0
        for bitCount in 1...30 {
            let count = bitCounts.count { Int($0) == bitCount }
            code <<= 1
            if count == 0 { continue }
            let shift = UInt64(32 - bitCount)
            lengths.append(
                Length(
                    bitCount: bitCount, end: (code + UInt64(count)) << shift, first: code << shift,
                    offset: offset))
            code += UInt64(count)
            offset += count
        }
        return lengths
    }()

    /// Appends the text that bytes stand for.
    ///
    /// - Returns: Whether the bytes are a text; part of it may have been appended otherwise.
    /// - Complexity: O(n), n bytes; a text has 8/5 of them at most.
    static func decode(_ bytes: UnsafeRawBufferPointer, into text: inout [UInt8]) -> Bool {
        let (lengths, symbols) = (lengths, symbols)
        var window: UInt64 = 0  // The bits that are not decoded, at the lower end.
        var bitCount = 0
        var index = 0
        while true {
            while bitCount <= 32, index < bytes.count {
                window = window << 8 | UInt64(bytes[index])
                bitCount += 8
                index += 1
            }
            if bitCount == 0 { return true }
            let code = next(window, bitCount)
            guard let length = lengths.first(where: { code < $0.end }),
                length.bitCount <= bitCount
            else { return isPadding(code, bitCount) }
            let place = length.offset + Int((code - length.first) >> UInt64(32 - length.bitCount))
            // The end has no place in a text.
            guard place < symbols.count - 1 else { return false }
            text.append(UInt8(truncatingIfNeeded: symbols[place]))
            bitCount -= length.bitCount
            window &= (1 << UInt64(bitCount)) - 1
        }
    }

    /// The next 32 bits; behind the last bit there are ones.
    private static func next(_ window: UInt64, _ bitCount: Int) -> UInt64 {
        if bitCount >= 32 { return window >> UInt64(bitCount - 32) & 0xFFFF_FFFF }
        let missing = UInt64(32 - bitCount)
        return window << missing | ((1 << missing) - 1)
    }

    /// Whether what is left fills up the last byte, as the first bits of the end.
    private static func isPadding(_ code: UInt64, _ bitCount: Int) -> Bool {
        bitCount < 8 && code == 0xFFFF_FFFF
    }
}
