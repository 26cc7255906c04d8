import HearthWire

/// The memory of one writer and any number of readers, as weak as C11 allows.
///
/// Every store stays in the history of its word. A load by chance takes any store that the reader may
/// still see: no older than what the reader has seen of the word, and no older than what the reader
/// knows by an acquire. A reader writes nothing, so the writer does not depend on the readers: to run
/// the writer first, and to choose among the stores afterwards, reaches every interleaving of the two at
/// every word, with every order in which stores could become visible.
final class WrittenWords: WritableWords {
    /// One store, by its place in the writer's program.
    struct Store {
        let number: Int
        let value: UInt64
        /// Up to which store a reader knows all that acquires this one.
        let released: Int
    }

    private(set) var history: [[Store]]
    /// The number of the last store.
    private(set) var storeCount = 0
    private var fence = 0

    init(count: Int) {
        history = Array(repeating: [Store(number: 0, value: 0, released: 0)], count: count)
    }

    func load(_ index: Int) -> UInt64 { history[index][history[index].count - 1].value }
    func loadAcquiring(_ index: Int) -> UInt64 { load(index) }
    func fenceAcquiring() {}

    func store(_ value: UInt64, at index: Int) {
        storeCount += 1
        history[index].append(Store(number: storeCount, value: value, released: fence))
    }

    func storeReleasing(_ value: UInt64, at index: Int) {
        storeCount += 1
        history[index].append(Store(number: storeCount, value: value, released: storeCount))
    }

    func fenceReleasing() { fence = storeCount }
}

/// What one reader sees of the words, by chance.
final class SeenWords<Chance: RandomNumberGenerator>: ReadableWords {
    private let words: WrittenWords
    private var chance: Chance
    /// All stores up to this one are known.
    private var known: Int
    /// The newest store that was seen of each word.
    private var seen: [Int: Int] = [:]
    /// What an acquire fence makes known of the stores that were loaded plainly.
    private var pending = 0
    /// No load sees a store behind this one.
    private let last: Int

    /// - Parameters:
    ///   - known: The number of the last store that the reader has been told of by other means.
    ///   - last: The number of the last store that has happened when the reader ends.
    init(_ words: WrittenWords, known: Int, last: Int, _ chance: Chance) {
        self.words = words
        self.known = known
        self.last = last
        self.chance = chance
        pending = known
    }

    func load(_ index: Int) -> UInt64 { take(index).value }

    func loadAcquiring(_ index: Int) -> UInt64 {
        let store = take(index)
        known = max(known, store.released)
        return store.value
    }

    func fenceAcquiring() { known = max(known, pending) }

    private func take(_ index: Int) -> WrittenWords.Store {
        let history = words.history[index]
        let oldest = history.lastIndex { $0.number <= max(known, seen[index] ?? 0) } ?? 0
        let newest = max(history.lastIndex { $0.number <= last } ?? 0, oldest)
        let store = history[Int.random(in: oldest...newest, using: &chance)]
        seen[index] = store.number
        pending = max(pending, store.released)
        return store
    }
}
