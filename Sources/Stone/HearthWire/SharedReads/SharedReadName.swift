/// A document's path as the words that an entry holds, with the hash of the words.
///
/// The creator of a name must keep the bytes alive while the name lasts.
package struct SharedReadName {
    @usableFromInline let bytes: UnsafeRawBufferPointer

    /// Borrows the bytes of a path.
    @inlinable
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Calls `body` with the name of a path.
    @inlinable
    package static func with<Result>(
        _ path: String, _ body: (SharedReadName) throws -> Result
    ) rethrows -> Result {
        let known = try path.utf8.withContiguousStorageIfAvailable {
            try body(SharedReadName(UnsafeRawBufferPointer($0)))
        }
        if let known { return known }
        return try Array(path.utf8).withUnsafeBytes { try body(SharedReadName($0)) }
    }

    /// How many bytes the name has.
    @inlinable package var byteCount: Int { bytes.count }
    /// How many words the name has.
    @inlinable package var wordCount: Int { (bytes.count + 7) / 8 }

    /// A word of the name; the last one is filled up with zeroes.
    @inlinable
    package func word(_ index: Int) -> UInt64 {
        let start = index * 8
        if start + 8 <= bytes.count {
            return bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        }
        var word: UInt64 = 0
        for offset in start..<bytes.count {
            word |= UInt64(bytes[offset]) << UInt64(8 * (offset - start))
        }
        return word
    }

    /// The hash of the name, never 0. The seed keeps others from choosing names for one bucket.
    @inlinable
    package func hash(seed: UInt64) -> UInt64 {
        var state = seed ^ UInt64(bytes.count)
        for index in 0..<wordCount {
            let product = (state ^ word(index)).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            state = product.high ^ product.low
        }
        let product = (state ^ seed).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return max(product.high ^ product.low, 1)
    }
}
