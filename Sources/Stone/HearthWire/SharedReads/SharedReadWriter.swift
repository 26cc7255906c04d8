/// The writer of the memory file of hot documents.
///
/// Entries lie in a ring: a new one takes the place of the oldest. What the ring or a bucket has no
/// room for is forgotten, and asked for by the socket.
package struct SharedReadWriter<Words: WritableWords> {
    private typealias Layout = SharedReadLayout
    private typealias Header = SharedReadLayout.Header

    /// What a slot holds, as the writer remembers it.
    private struct Holding {
        var hash: UInt64 = 0
        /// The number of the entry; 0 for an empty slot.
        var number: UInt64 = 0
    }

    /// A stretch of the ring.
    private struct Stretch {
        let start: Int
        let slot: Int
        let number: UInt64
    }

    private let words: Words
    private let layout: SharedReadLayout
    private let seed: UInt64
    private var epoch: UInt64 = 1
    private var holdings: [Holding]
    /// The stretches of the ring that may be in use, oldest first, from `firstStretch` on.
    private var stretches: [Stretch] = []
    private var firstStretch = 0
    /// Where the next entry goes.
    private var head: Int
    /// Behind the last word of the ring that was ever written.
    private var usedEnd: Int
    private var lastNumber: UInt64 = 0

    /// Writes the header of a file of zeroes. Nobody may believe the file before `renew`.
    ///
    /// - Parameters:
    ///   - words: The memory of the file.
    ///   - byteCount: The size of the file in bytes.
    ///   - seed: A random number, which goes into the hashes of names.
    package init(_ words: Words, byteCount: Int, seed: UInt64) {
        self.words = words
        self.seed = seed
        layout = SharedReadLayout(byteCount: byteCount)
        holdings = Array(repeating: Holding(), count: layout.bucketCount * Layout.slotCount)
        head = layout.firstEntry
        usedEnd = head
        words.store(UInt64(layout.wordCount), at: Header.wordCount)
        words.store(UInt64(layout.bucketCount), at: Header.bucketCount)
        words.store(seed, at: Header.seed)
        words.store(epoch, at: Header.epoch)
        words.storeReleasing(Layout.mark, at: Header.mark)
    }

    /// Lets readers believe the file until a time, in nanoseconds of CLOCK_MONOTONIC.
    package func renew(until time: UInt64) {
        words.storeReleasing(time, at: Header.lease)
    }

    /// Tells the number of the last change, before anybody hears of the change; 0 if nobody can say.
    package func tell(change number: UInt64) {
        words.storeReleasing(number, at: Header.change)
    }

    /// Whether a name has an entry.
    package func contains(_ name: SharedReadName) -> Bool {
        slot(of: name.hash(seed: seed)) != nil
    }

    /// Forgets the entry of a name. Whoever hears of the commit that changed the document afterwards
    /// does not find the entry.
    package mutating func remove(_ name: SharedReadName) {
        guard let slot = slot(of: name.hash(seed: seed)) else { return }
        clear(slot)
    }

    /// Forgets all entries. O(1).
    package mutating func removeAll() {
        epoch += 1
        words.storeReleasing(epoch, at: Header.epoch)
        words.fenceReleasing()
        for stretch in stretches[firstStretch...] { holdings[stretch.slot] = Holding() }
        stretches = []
        firstStretch = 0
        head = layout.firstEntry
    }

    /// Forgets all entries, and leaves none of their bytes. O(bytes ever written).
    package mutating func erase() {
        removeAll()
        zero()
    }

    /// Ends the file for good: nobody finds anything here any more, and no byte of an entry is left.
    package mutating func end() {
        words.storeReleasing(0, at: Header.epoch)
        words.storeReleasing(0, at: Header.lease)
        words.fenceReleasing()
        zero()
    }

    /// Enters the answer of a name, in the place of an older one. Too large an answer is not entered.
    package mutating func insert(_ body: [UInt8], of name: SharedReadName) {
        remove(name)
        let byteCount = name.byteCount + body.count
        let wordCount = 1 + name.wordCount + (body.count + 7) / 8
        guard byteCount <= Layout.entryByteCountMax,
            wordCount <= (layout.wordCount - layout.firstEntry) / 2
        else { return }
        let hash = name.hash(seed: seed)
        let slot = freeSlot(in: layout.bucket(of: hash))
        let place = makeRoom(wordCount)
        lastNumber += 1
        holdings[slot] = Holding(hash: hash, number: lastNumber)
        stretches.append(Stretch(start: place, slot: slot, number: lastNumber))
        change(slot) { first in
            write(body, of: name, at: place)
            words.store(hash, at: first + Layout.Slot.hash)
            words.store(UInt64(place), at: first + Layout.Slot.place)
            words.store(epoch, at: first + Layout.Slot.epoch)
        }
    }

    // MARK: Slots

    private func slot(of hash: UInt64) -> Int? {
        let first = index(of: layout.bucket(of: hash))
        return (first..<first + Layout.slotCount).first {
            holdings[$0].number != 0 && holdings[$0].hash == hash
        }
    }

    /// An empty slot of a bucket; if there is none, the slot of the oldest entry, emptied.
    private mutating func freeSlot(in bucket: Int) -> Int {
        let first = index(of: bucket)
        var oldest = first
        for slot in first..<first + Layout.slotCount
        where holdings[slot].number < holdings[oldest].number {
            oldest = slot
        }
        if holdings[oldest].number != 0 { clear(oldest) }
        return oldest
    }

    private mutating func clear(_ slot: Int) {
        holdings[slot] = Holding()
        change(slot) { first in
            words.store(0, at: first + Layout.Slot.hash)
            words.store(0, at: first + Layout.Slot.place)
        }
    }

    /// Changes a slot, and what it names, between an odd and an even sequence.
    private func change(_ slot: Int, _ body: (Int) -> Void) {
        let first = Header.count + slot * Layout.Slot.count
        let sequence = words.load(first + Layout.Slot.sequence)
        words.store(sequence &+ 1, at: first + Layout.Slot.sequence)
        // Also for the slots that were cleared before: nobody copies the new words under an old name.
        words.fenceReleasing()
        body(first)
        words.storeReleasing(sequence &+ 2, at: first + Layout.Slot.sequence)
    }

    private func index(of bucket: Int) -> Int { (bucket - Header.count) / Layout.Slot.count }

    // MARK: The ring

    /// Takes room behind the newest entry, and forgets the entries that lie there.
    private mutating func makeRoom(_ wordCount: Int) -> Int {
        if head + wordCount > layout.wordCount {
            let end = head
            forgetOldest { $0 >= end }
            head = layout.firstEntry
        }
        let (start, end) = (head, head + wordCount)
        forgetOldest { $0 >= start && $0 < end }
        head = end
        usedEnd = max(usedEnd, end)
        return start
    }

    private mutating func forgetOldest(while lies: (Int) -> Bool) {
        while firstStretch < stretches.count, lies(stretches[firstStretch].start) {
            let stretch = stretches[firstStretch]
            firstStretch += 1
            if holdings[stretch.slot].number == stretch.number { clear(stretch.slot) }
        }
        if firstStretch > stretches.count / 2, firstStretch > 64 {
            stretches.removeFirst(firstStretch)
            firstStretch = 0
        }
    }

    private func write(_ body: [UInt8], of name: SharedReadName, at place: Int) {
        words.store(UInt64(name.byteCount) | UInt64(body.count) << 32, at: place)
        for index in 0..<name.wordCount { words.store(name.word(index), at: place + 1 + index) }
        let start = place + 1 + name.wordCount
        body.withUnsafeBytes { bytes in
            let content = SharedReadName(bytes)
            for index in 0..<content.wordCount {
                words.store(content.word(index), at: start + index)
            }
        }
    }

    /// Slots keep their sequences: a reader that began before must not take zeroes for an entry.
    private mutating func zero() {
        for index in layout.firstEntry..<usedEnd { words.store(0, at: index) }
        usedEnd = layout.firstEntry
    }
}

extension SharedReadWriter: Sendable where Words: Sendable {}
