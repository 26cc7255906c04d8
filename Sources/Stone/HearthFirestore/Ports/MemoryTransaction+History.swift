import HashTreeCollections
package import HearthEngine
package import HearthModel

/// The history of a store in memory.
struct MemoryHistory: Sendable {
    /// The entries by their numbers.
    var entries: TreeDictionary<Int64, HistoryEntry> = [:]
    /// The numbers of each document's entries, rising.
    var numbers: TreeDictionary<DocumentKey, OrderedTree<Int64>> = [:]
    /// The number of the oldest entry.
    var first: Int64 = 1
    /// The number of the next entry.
    var next: Int64 = 1
    /// Bytes of all entries.
    var byteCount = 0

    static func order(_ left: Int64, _ right: Int64) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }

    /// Takes the oldest entry away.
    mutating func removeFirst() {
        guard let entry = entries.removeValue(forKey: first) else { return }
        numbers[entry.key]?.remove(first, by: Self.order)
        if numbers[entry.key]?.count == 0 { numbers[entry.key] = nil }
        first += 1
        byteCount -= entry.byteCount
    }
}

extension MemoryTransaction {
    package func appendHistory(_ entry: HistoryEntry) throws(StoreError) {
        var entry = entry
        entry.number = state.history.next
        state.history.entries[entry.number] = entry
        state.history.numbers[entry.key, default: OrderedTree()].insert(
            entry.number, by: MemoryHistory.order)
        state.history.next += 1
        state.history.byteCount += entry.byteCount
    }

    package func hasHistory(of key: DocumentKey) throws(StoreError) -> Bool {
        state.history.numbers[key] != nil
    }

    package func firstHistory(of key: DocumentKey) throws(StoreError) -> HistoryEntry? {
        state.history.numbers[key]?.first.flatMap { state.history.entries[$0] }
    }

    package func lastHistory(of key: DocumentKey) throws(StoreError) -> HistoryEntry? {
        state.history.numbers[key]?.last.flatMap { state.history.entries[$0] }
    }

    package func historyPage(_ question: HistoryQuestion) throws(StoreError) -> HistoryPage {
        var page = HistoryPage(entries: [], hasMore: false)
        let countMax = question.pageCountMax
        var byteCount = 0
        guard let numbers = state.history.numbers[question.key] else { return page }
        numbers.walkBack(from: numbers.count) { number in
            guard let entry = state.history.entries[number], question.wants(entry) else {
                return true
            }
            byteCount += entry.byteCount
            let isFull = byteCount > HistoryLimits.pageByteCountMax && !page.entries.isEmpty
            page.hasMore = page.entries.count == countMax || isFull
            if !page.hasMore { page.entries.append(entry) }
            return !page.hasMore
        }
        return page
    }

    package func historyFigures() throws(StoreError) -> HistoryFigures {
        var figures = HistoryFigures()
        figures.count = Int(state.history.next - state.history.first)
        figures.byteCount = state.history.byteCount
        figures.oldestAt = state.history.entries[state.history.first]?.notedAt
        return figures
    }

    package func removeHistory(_ bounds: HistoryBounds) throws(StoreError) -> Bool {
        let history = state.history
        var (byteCount, sliceByteCount) = (history.byteCount, 0)
        var (number, last) = (history.first, history.first - 1)
        while number - history.first < bounds.countMax,
            sliceByteCount < HistoryLimits.sliceByteCountMax,
            let entry = history.entries[number]
        {
            let isOld = bounds.notedBefore.map { entry.notedAt < $0 } ?? false
            // Of a wrong future nothing follows for the entries in front.
            let isTooNew = bounds.notedAfter.map { entry.notedAt > $0 } ?? false
            let isFront = last == number - 1
            if isOld || byteCount > bounds.byteCountMax || isTooNew && isFront { last = number }
            byteCount -= entry.byteCount
            sliceByteCount += entry.byteCount
            number += 1
        }
        let lastToGo = history.next - 2  // The newest entry stays, as in a file.
        last = min(last, lastToGo)
        while state.history.first <= last { state.history.removeFirst() }
        return last >= history.first && last == number - 1 && last < lastToGo
    }
}

extension HistoryEntry {
    /// About what the entry takes in memory.
    fileprivate var byteCount: Int {
        HistoryLimits.entryByteCount + local.fields.byteCountBound
            + (remote?.fields.byteCountBound ?? 0)
    }
}

extension HistoryQuestion {
    /// How many entries the page may have.
    package var pageCountMax: Int {
        min(max(countMax ?? HistoryLimits.pageCountMax, 1), HistoryLimits.pageCountMax)
    }

    /// Whether an entry of the document belongs to the answer.
    fileprivate func wants(_ entry: HistoryEntry) -> Bool {
        entry.number < before ?? .max && since.map { entry.notedAt >= $0 } ?? true
            && at.map { entry.notedAt <= $0 } ?? true
    }
}
