package import HearthModel

/// A map from text to values: sorted by key, each once.
package struct RuleMap: Sendable {
    /// One entry.
    struct Entry: Sendable {
        let key: String
        let value: RuleValue
    }

    /// The entries in the order of their keys' UTF-8.
    private(set) var entries: [Entry]
    /// Whether there may be further entries that nobody knows: fields of a query's possible
    /// results.
    private(set) var isOpen = false

    /// The map of a document's fields, or of a value inside.
    package init(_ map: MapValue) {
        entries = map.entries.map { Entry(key: $0.key, value: RuleValue($0.value)) }
    }

    /// Sorts entries; of two with one key, the later counts.
    package init(_ pairs: [(String, RuleValue)], isOpen: Bool = false) {
        self.isOpen = isOpen
        entries = []
        let sorted = pairs.enumerated().sorted {
            let order = utf8Compare($0.element.0, $1.element.0)
            return order != 0 ? order < 0 : $0.offset < $1.offset
        }
        for (_, pair) in sorted {
            if let last = entries.last, utf8Equals(last.key, pair.0) { entries.removeLast() }
            entries.append(Entry(key: pair.0, value: pair.1))
        }
    }

    /// How many entries there are.
    var count: Int { entries.count }

    /// The value of a key. O(log n).
    subscript(key: String) -> RuleValue? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let order = utf8Compare(entries[middle].key, key)
            if order == 0 { return entries[middle].value }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
