import HearthModel

/// Values by child key, in the order of keys: a copy is free, and a change copies one page a level of
/// what a copy shares.
///
/// Shape: a B+ tree whose pages have up to 16 entries and no room to spare. A hundred thousand waiting
/// writes would fill a hash table's nodes only in part. A page that shrinks is not joined with its
/// neighbour: what waits in a queue leaves it for good. All operations O(log n).
struct KeyedTree<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let key: ChildKey
        let value: Value
    }

    /// Entries, or trees of one height, in the order of keys.
    private enum Part: Sendable {
        case page([Entry])
        /// The least key that each part had when it was made, where the first is never looked at; and
        /// the parts.
        case branch([ChildKey], [Part])

        /// Nothing.
        static var empty: Part { .page([]) }

        var isEmpty: Bool {
            if case .page(let entries) = self { entries.isEmpty } else { false }
        }
    }

    /// How many entries a page has, or parts a branch, before it is cut in two.
    private static var widthMax: Int { 16 }

    private var root: Part?
    /// How many values there are.
    private(set) var count = 0

    /// No value.
    init() {}

    /// Whether there is no value.
    var isEmpty: Bool { root == nil }

    /// The value of a key.
    subscript(key: ChildKey) -> Value? {
        get {
            var part = root
            while case .branch(let keys, let parts) = part {
                part = parts[Self.place(of: key, in: keys)]
            }
            guard case .page(let entries) = part else { return nil }
            let index = Self.lowerBound(of: key, in: entries)
            return Self.isThere(key, at: index, in: entries) ? entries[index].value : nil
        }
        set { update(key) { $0 = newValue } }
    }

    /// Visits all values in the order of keys.
    func visit(_ body: (ChildKey, Value) -> Void) {
        if let root { Self.visit(root, body) }
    }

    /// The same keys with other values.
    func mapValues(_ transform: (Value) -> Value) -> Self {
        var mapped = self
        mapped.root = root.map { Self.map($0, transform) }
        return mapped
    }

    // MARK: Changing

    /// Changes a key's value on one way down. Before and after there may be no value.
    mutating func update(_ key: ChildKey, _ change: (inout Value?) -> Void) {
        var root = self.root.take() ?? .empty
        if let second = update(key, in: &root, change) {
            // The key of the first is never looked at, so any key serves.
            root = .branch([second.least, second.least], [root, second.part])
        }
        while case .branch(_, let parts) = root, parts.count == 1 { root = parts[0] }
        self.root = root.isEmpty ? nil : root
    }

    /// The second half of a part that grew too wide, with the half's least key.
    private typealias Half = (least: ChildKey, part: Part)

    private mutating func update(
        _ key: ChildKey, in part: inout Part, _ change: (inout Value?) -> Void
    ) -> Half? {
        // While the part is empty nobody else has its arrays, unless a copy of the tree does.
        switch part {
        case .page(var entries):
            part = .empty
            let second = update(key, in: &entries, change)
            part = .page(entries)
            return second
        case .branch(var keys, var parts):
            part = .empty
            let second = update(key, in: &keys, &parts, change)
            if !parts.isEmpty { part = .branch(keys, parts) }
            return second
        }
    }

    private mutating func update(
        _ key: ChildKey, in entries: inout [Entry], _ change: (inout Value?) -> Void
    ) -> Half? {
        let index = Self.lowerBound(of: key, in: entries)
        let isThere = Self.isThere(key, at: index, in: entries)
        var value = isThere ? entries.remove(at: index).value : nil
        change(&value)
        count += (value == nil ? 0 : 1) - (isThere ? 1 : 0)
        guard let value else { return nil }
        Self.insert(Entry(key: key, value: value), at: index, in: &entries)
        guard let cut = Self.cut(entries.count, insertedAt: index) else { return nil }
        let second = Self.cutOff(from: cut, of: &entries)
        return (second[0].key, .page(second))
    }

    private mutating func update(
        _ key: ChildKey, in keys: inout [ChildKey], _ parts: inout [Part],
        _ change: (inout Value?) -> Void
    ) -> Half? {
        let place = Self.place(of: key, in: keys)
        guard let second = update(key, in: &parts[place], change) else {
            if parts[place].isEmpty {
                keys.remove(at: place)
                parts.remove(at: place)
            }
            return nil
        }
        Self.insert(second.least, at: place + 1, in: &keys)
        Self.insert(second.part, at: place + 1, in: &parts)
        guard let cut = Self.cut(parts.count, insertedAt: place + 1) else { return nil }
        let right = Self.cutOff(from: cut, of: &keys)
        return (right[0], .branch(right, Self.cutOff(from: cut, of: &parts)))
    }

    /// Where too many elements are cut in two; `nil` if they are not too many.
    ///
    /// Elements that grew at the end are cut just before the end. Rising keys, such as push keys,
    /// so leave full pages behind.
    private static func cut(_ count: Int, insertedAt index: Int) -> Int? {
        count > widthMax ? (index == count - 1 ? index : count / 2) : nil
    }

    /// Inserts an element without making room for others.
    private static func insert<T>(_ new: T, at index: Int, in all: inout [T]) {
        all.reserveCapacity(all.count + 1)
        all.insert(new, at: index)
    }

    /// Cuts an array in two, both without room to spare.
    private static func cutOff<T>(from index: Int, of all: inout [T]) -> [T] {
        defer { all = Array(all[..<index]) }
        return Array(all[index...])
    }

    // MARK: Finding

    private static func visit(_ part: Part, _ body: (ChildKey, Value) -> Void) {
        switch part {
        case .page(let entries): for entry in entries { body(entry.key, entry.value) }
        case .branch(_, let parts): for part in parts { visit(part, body) }
        }
    }

    private static func map(_ part: Part, _ transform: (Value) -> Value) -> Part {
        switch part {
        case .page(let entries):
            .page(entries.map { Entry(key: $0.key, value: transform($0.value)) })
        case .branch(let keys, let parts): .branch(keys, parts.map { map($0, transform) })
        }
    }

    /// The part of a branch in which a key is or would be.
    private static func place(of key: ChildKey, in keys: [ChildKey]) -> Int {
        var (low, high) = (1, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if ChildKey.compare(keys[middle], key) <= 0 { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    private static func lowerBound(of key: ChildKey, in entries: [Entry]) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if ChildKey.compare(entries[middle].key, key) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private static func isThere(_ key: ChildKey, at index: Int, in entries: [Entry]) -> Bool {
        index < entries.count && entries[index].key == key
    }
}
