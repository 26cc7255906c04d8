/// A reader of the memory file of hot documents: has the whole answer of one moment, or none.
///
/// The reader only reads, so no reader can harm the writer or another reader. Every length and place
/// is checked before it is used, since a word may change at any time; whether all words were of one
/// moment shows at the end.
///
/// - Source: the sequence lock of H. Boehm, "Can seqlocks get along with programming language memory
///   models?" (2012), read with an acquire fence.
package struct SharedReadTable<Words: ReadableWords> {
    @usableFromInline let words: Words
    @usableFromInline let layout: SharedReadLayout
    @usableFromInline let seed: UInt64

    /// Reads a file; `nil` if it is none of this layout.
    ///
    /// - Parameter byteCount: Of the words, which must all be readable for as long as the table lasts.
    package init?(_ words: Words, byteCount: Int) {
        guard let layout = SharedReadLayout(of: words, byteCount: byteCount) else { return nil }
        self.words = words
        self.layout = layout
        seed = words.load(SharedReadLayout.Header.seed)
    }

    /// Whether nothing will ever be read here again.
    package var hasEnded: Bool { words.load(SharedReadLayout.Header.epoch) == 0 }

    /// The body of the answer to a get of one document from the cache alone; `nil` if the file does
    /// not have it, or must not be believed now.
    ///
    /// - Parameters:
    ///   - name: The document's path.
    ///   - now: Nanoseconds of CLOCK_MONOTONIC.
    /// - Complexity: O(body), without a system call.
    @inlinable
    package func body(of name: SharedReadName, at now: UInt64) -> [UInt8]? {
        let epoch = words.loadAcquiring(SharedReadLayout.Header.epoch)
        guard epoch != 0, isAlive(at: now) else { return nil }
        let hash = name.hash(seed: seed)
        let bucket = layout.bucket(of: hash)
        for index in 0..<SharedReadLayout.slotCount {
            let slot = bucket + index * SharedReadLayout.Slot.count
            // A slot that is being changed gets another name, or the next answer: by the socket then.
            for _ in 0..<SharedReadLimits.tryCount {
                guard words.load(slot + SharedReadLayout.Slot.hash) == hash else { break }
                switch read(name, slot, epoch) {
                case .body(let body): return body
                case .none: break
                case .torn: continue
                }
                break
            }
        }
        return nil
    }

    /// The number of the last change of the cache's documents; `nil` if nobody can say.
    package func changeNumber(at now: UInt64) -> UInt64? {
        guard words.loadAcquiring(SharedReadLayout.Header.epoch) != 0, isAlive(at: now) else {
            return nil
        }
        let number = words.loadAcquiring(SharedReadLayout.Header.change)
        return number == 0 ? nil : number
    }

    /// Whether the writer lives and was found at work lately.
    ///
    /// A lease that ends too far from now is of another clock: of a time namespace.
    @inlinable
    func isAlive(at now: UInt64) -> Bool {
        let lease = words.load(SharedReadLayout.Header.lease)
        return words.load(SharedReadLayout.Header.life) & SharedReadLayout.isEnded == 0
            && lease > now && lease - now <= SharedReadLimits.leaseNanoseconds
    }

    @usableFromInline
    enum Attempt {
        case body([UInt8])
        case none
        case torn
    }

    @inlinable
    func read(_ name: SharedReadName, _ slot: Int, _ epoch: UInt64) -> Attempt {
        let sequence = words.loadAcquiring(slot + SharedReadLayout.Slot.sequence)
        guard sequence & 1 == 0 else { return .torn }
        guard words.load(slot + SharedReadLayout.Slot.epoch) == epoch else { return .none }
        let copied = copy(name, words.load(slot + SharedReadLayout.Slot.place))
        words.fenceAcquiring()
        guard words.load(slot + SharedReadLayout.Slot.sequence) == sequence,
            words.load(SharedReadLayout.Header.epoch) == epoch
        else { return .torn }
        return copied.map(Attempt.body) ?? .none
    }

    /// The body of an entry; `nil` if the entry has another name, or no entry can be there.
    @inlinable
    func copy(_ name: SharedReadName, _ place: UInt64) -> [UInt8]? {
        guard place >= UInt64(layout.firstEntry), place < UInt64(layout.wordCount) else {
            return nil
        }
        let start = Int(place) + 1
        let lengths = words.load(Int(place))
        let (nameByteCount, bodyByteCount) = (Int(lengths & 0xFFFF_FFFF), Int(lengths >> 32))
        guard nameByteCount == name.byteCount,
            bodyByteCount <= SharedReadLayout.entryByteCountMax
        else { return nil }
        let bodyWordCount = (bodyByteCount + 7) / 8
        let body = start + name.wordCount
        guard body + bodyWordCount <= layout.wordCount else { return nil }
        for index in 0..<name.wordCount where words.load(start + index) != name.word(index) {
            return nil
        }
        return [UInt8](unsafeUninitializedCapacity: bodyWordCount * 8) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            for index in 0..<bodyWordCount {
                target.storeBytes(
                    of: words.load(body + index), toByteOffset: index * 8, as: UInt64.self)
            }
            count = bodyByteCount
        }
    }
}

/// The limits of reads from the memory file.
package enum SharedReadLimits {
    /// How often a reader tries to read a slot that changes meanwhile. A change takes less than a
    /// microsecond, unless the writer is stopped in its midst.
    package static let tryCount = 4
    /// How long the daemon may be silent until readers ask by the socket, in nanoseconds: three of the
    /// watchdog's periods.
    package static let leaseNanoseconds: UInt64 = 15_000_000_000
    /// How many gets of one document from the cache a program must have made until it asks for the
    /// file. A program that reads once needs none.
    package static let askCountMin = 2
    /// How long a program gathers the names of read documents before it tells the daemon.
    package static let notePause = Duration.seconds(60)
    /// How many names a program tells at once. What it reads beyond is told another time.
    package static let noteCountMax = 1_000
    /// Bytes of the paths that a program tells at once.
    package static let noteByteCountMax = 64 << 10
}

extension SharedReadTable: Sendable where Words: Sendable {}
