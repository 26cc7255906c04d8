@testable import HearthRPC

/// Writes what `HuffmanCode` reads.
enum HuffmanText {
    /// The code of each byte, made anew from the numbers of bits.
    private static let codes: [(code: UInt64, bitCount: Int)] = {
        let bitCounts = HuffmanCode.bitCounts.map(Int.init)
        var codes = [(code: UInt64, bitCount: Int)](
            repeating: (0, 0), count: bitCounts.count)
        var code: UInt64 = 0
        for bitCount in 1...30 {
            code <<= 1
            for byte in bitCounts.indices where bitCounts[byte] == bitCount {
                codes[byte] = (code, bitCount)
                code += 1
            }
        }
        return codes
    }()

    /// The shortened text.
    static func encode(_ text: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        for byte in text {
            let (code, bitCount) = codes[Int(byte)]
            for bit in (0..<bitCount).reversed() { bits.append(code >> UInt64(bit) & 1 == 1) }
        }
        while bits.count % 8 != 0 { bits.append(true) }
        return stride(from: 0, to: bits.count, by: 8).map { index in
            bits[index..<index + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }
}
