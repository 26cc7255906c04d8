/// How the memory file of hot documents is laid out, in words of 64 bits of the machine's own order.
///
///     header | buckets of `slotCount` slots | entries, in a ring
///     slot   = sequence | hash of the name | first word of the entry | epoch
///     entry  = bytes of the name, bytes of the body << 32 | name | body     each filled up to words
///
/// A name is a document's path below `documents`. A body is the body of an answer's frame, as the
/// daemon would send the frame.
package struct SharedReadLayout: Hashable, Sendable {
    /// The words of the header.
    package enum Header {
        /// `mark`.
        package static let mark = 0
        /// The process that writes; the kernel sets `isEnded` in it when the process ends.
        package static let life = 1
        /// 0 once the file has ended. What was entered under another epoch is gone.
        package static let epoch = 2
        /// Until when the file may be believed: nanoseconds of CLOCK_MONOTONIC.
        package static let lease = 3
        /// What names are hashed with.
        package static let seed = 4
        /// How many buckets there are, a power of two.
        package static let bucketCount = 5
        /// How many words the file has.
        package static let wordCount = 6
        /// The number of the last change of the cache's documents, as snapshots tell it; 0 if nobody
        /// can say.
        package static let change = 7
        /// The words of the header.
        package static let count = 64
    }

    /// The words of a slot.
    package enum Slot {
        /// Odd while the slot is being changed.
        package static let sequence = 0
        /// The hash of the name.
        package static let hash = 1
        /// Where the entry begins.
        package static let place = 2
        /// The epoch of the entry.
        package static let epoch = 3
        /// The words of a slot.
        package static let count = 4
    }

    /// The first word of every file: a name, and the version of this layout.
    package static let mark: UInt64 = 0x4845_4152_5448_0001
    /// The bit of the word `life` that says that the writing process has ended (FUTEX_OWNER_DIED).
    package static let isEnded: UInt64 = 0x4000_0000
    /// Slots of a bucket: two lines of the processor's cache.
    package static let slotCount = 4
    /// Bytes of a name and a body together that are entered at most. Longer answers go by the socket.
    package static let entryByteCountMax = 64 << 10
    /// Bytes of a file at least.
    package static let byteCountMin = 256 << 10
    /// Bytes of a file at most: the place of an entry and its lengths stay far below 32 bits.
    package static let byteCountMax = 1 << 30

    /// How many buckets there are, a power of two.
    package let bucketCount: Int
    /// How many words the file has.
    package let wordCount: Int

    /// The layout of a new file. An eighth of the file at most is slots.
    ///
    /// - Parameter byteCount: From `byteCountMin` to `byteCountMax`.
    package init(byteCount: Int) {
        wordCount = byteCount / 8
        var count = 1
        while count * 2 * Self.slotCount * Slot.count <= wordCount / 8 { count *= 2 }
        bucketCount = count
    }

    /// The layout of a file that somebody else has made; `nil` if the header does not fit the size.
    package init?(of words: some ReadableWords, byteCount: Int) {
        guard (Self.byteCountMin...Self.byteCountMax).contains(byteCount),
            words.load(Header.mark) == Self.mark,
            words.load(Header.wordCount) == UInt64(byteCount / 8)
        else { return nil }
        let count = words.load(Header.bucketCount)
        guard count > 0, count.nonzeroBitCount == 1, count <= UInt64(byteCount / 8) else {
            return nil
        }
        bucketCount = Int(count)
        wordCount = byteCount / 8
        guard firstEntry < wordCount else { return nil }
    }

    /// Where the entries begin.
    package var firstEntry: Int { Header.count + bucketCount * Self.slotCount * Slot.count }

    /// Where the first slot of a hash's bucket begins.
    @inlinable
    package func bucket(of hash: UInt64) -> Int {
        Header.count + Int(truncatingIfNeeded: hash & UInt64(bucketCount - 1))
            * (Self.slotCount * Slot.count)
    }
}
