/// A set of document names that may say yes wrongly, never no.
///
/// Bit i of a name is (h1 + i * h2) modulo the number of bits, where h1 and h2 are the two
/// little-endian halves of its MD5; bits count from the least significant of each byte.
package struct BloomFilter: Hashable, Sendable {
    /// The most bits that a lookup probes: if all probed bits are set, the answer is yes. A yes may
    /// be wrong in any case, and the limit keeps a sender with a large number of hashes from making
    /// a lookup long.
    private static let probeCountMax = 1_000

    private let bitmap: [UInt8]
    private let hashCount: Int
    private let bitCount: UInt64

    /// Takes a filter as received.
    ///
    /// - Parameters:
    ///   - bitmap: The bits.
    ///   - padding: How many bits of the last byte do not count, from 0 to 7.
    ///   - hashCount: How many bits each name sets.
    /// - Returns: `nil` if the numbers contradict each other or there are no bits; the caller then
    ///   goes on as if no filter had come.
    package init?(bitmap: [UInt8], padding: Int, hashCount: Int) {
        guard (0..<8).contains(padding), !bitmap.isEmpty, hashCount > 0 else { return nil }
        self.bitmap = bitmap
        self.hashCount = hashCount
        self.bitCount = UInt64(bitmap.count * 8 - padding)
    }

    /// Builds a filter for names, with about one wrong yes in a hundred.
    package init(containing names: some Collection<String>) {
        // An odd number of bits: if a power of two divided the second hash, every probe would meet
        // the same bit.
        self.init(
            containing: names, bitCount: UInt64(max(names.count * 10, 60) | 1), hashCount: 7)
    }

    /// Builds a filter for names, with a given size.
    ///
    /// - Parameters:
    ///   - names: The names that the filter holds.
    ///   - bitCount: The size in bits, at least one.
    ///   - hashCount: How many bits each name sets.
    package init(containing names: some Collection<String>, bitCount: UInt64, hashCount: Int) {
        var bits = [UInt8](repeating: 0, count: Int(bitCount + 7) / 8)
        for name in names {
            for bit in Self.bits(of: name, hashCount: hashCount, bitCount: bitCount) {
                bits[Int(bit / 8)] |= 1 << UInt8(bit % 8)
            }
        }
        bitmap = bits
        self.hashCount = hashCount
        self.bitCount = bitCount
    }

    /// Whether the name may be in the set.
    package func mightContain(_ name: String) -> Bool {
        Self.bits(of: name, hashCount: hashCount, bitCount: bitCount).allSatisfy {
            bitmap[Int($0 / 8)] & (1 << UInt8($0 % 8)) != 0
        }
    }

    /// The parts as the wire has them.
    package var wireForm: (bitmap: [UInt8], padding: Int, hashCount: Int) {
        (bitmap, bitmap.count * 8 - Int(bitCount), hashCount)
    }

    private static func bits(
        of name: String, hashCount: Int, bitCount: UInt64
    ) -> some Sequence<UInt64> {
        let (first, second) = MD5.words(of: name.utf8)
        return (0..<UInt64(min(hashCount, probeCountMax))).lazy.map {
            (first &+ $0 &* second) % bitCount
        }
    }
}
