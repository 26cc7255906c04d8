import HearthModel

/// Values by child key, in the order of keys: a copy is free, a change copies one page a level.
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
        case branch(Branch)
    }

    private final class Branch: Sendable {
        /// The least key that each part had when it was made; the first is never looked at.
        let keys: [ChildKey]
        let parts: [Part]

        init(_ keys: [ChildKey], _ parts: [Part]) {
            self.keys = keys
            self.parts = parts
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
            while case .branch(let branch) = part {
                part = branch.parts[Self.place(of: key, in: branch.keys)]
            }
            guard case .page(let entries) = part else { return nil }
            let index = Self.lowerBound(of: key, in: entries)
            return Self.isThere(key, at: index, in: entries) ? entries[index].value : nil
        }
        set {
            if let newValue {
                set(Entry(key: key, value: newValue))
            } else {
                remove(key)
            }
        }
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

    private mutating func set(_ entry: Entry) {
        guard let root else {
            (root, count) = (.page([entry]), 1)
            return
        }
        let (first, second) = placing(entry, in: root)
        guard let second else { return self.root = first }
        // The key of the first is never looked at, so any key serves.
        self.root = .branch(Branch([second.key, second.key], [first, second.part]))
    }

    private mutating func remove(_ key: ChildKey) {
        guard let old = root, self[key] != nil else { return }
        count -= 1
        root = Self.removing(key, from: old)
        while case .branch(let branch) = root, branch.parts.count == 1 { root = branch.parts[0] }
    }

    private typealias Split = (key: ChildKey, part: Part)

    /// The part with an entry, and what lies behind it if it grew too wide.
    private mutating func placing(_ entry: Entry, in part: Part) -> (Part, Split?) {
        switch part {
        case .page(let entries):
            let index = Self.lowerBound(of: entry.key, in: entries)
            let isThere = Self.isThere(entry.key, at: index, in: entries)
            if !isThere { count += 1 }
            let all = Self.splice(entry, over: index..<(isThere ? index + 1 : index), of: entries)
            guard let cut = Self.cut(all.count, insertedAt: index) else { return (.page(all), nil) }
            return (.page(Array(all[..<cut])), (all[cut].key, .page(Array(all[cut...]))))
        case .branch(let branch):
            let place = Self.place(of: entry.key, in: branch.keys)
            let (first, second) = placing(entry, in: branch.parts[place])
            var parts = branch.parts
            parts[place] = first
            guard let second else { return (.branch(Branch(branch.keys, parts)), nil) }
            let behind = place + 1
            let keys = Self.splice(second.key, over: behind..<behind, of: branch.keys)
            parts = Self.splice(second.part, over: behind..<behind, of: parts)
            guard let cut = Self.cut(parts.count, insertedAt: behind) else {
                return (.branch(Branch(keys, parts)), nil)
            }
            let left = Branch(Array(keys[..<cut]), Array(parts[..<cut]))
            let right = Branch(Array(keys[cut...]), Array(parts[cut...]))
            return (.branch(left), (keys[cut], .branch(right)))
        }
    }

    /// The part without a key that is there; `nil` if nothing is left.
    private static func removing(_ key: ChildKey, from part: Part) -> Part? {
        switch part {
        case .page(let entries):
            let rest = without(lowerBound(of: key, in: entries), of: entries)
            return rest.isEmpty ? nil : .page(rest)
        case .branch(let branch):
            let place = place(of: key, in: branch.keys)
            if let changed = removing(key, from: branch.parts[place]) {
                var parts = branch.parts
                parts[place] = changed
                return .branch(Branch(branch.keys, parts))
            }
            let parts = without(place, of: branch.parts)
            return parts.isEmpty ? nil : .branch(Branch(without(place, of: branch.keys), parts))
        }
    }

    /// Where too many elements are cut in two; `nil` if they are not too many.
    ///
    /// Elements that grew at the end are cut just before the end. Rising keys, such as push keys,
    /// so leave full pages behind.
    private static func cut(_ count: Int, insertedAt index: Int) -> Int? {
        count > widthMax ? (index == count - 1 ? index : count / 2) : nil
    }

    /// A new array without room to spare.
    private static func splice<T>(_ new: T, over range: Range<Int>, of all: [T]) -> [T] {
        var result: [T] = []
        result.reserveCapacity(all.count + 1 - range.count)
        result += all[..<range.lowerBound]
        result.append(new)
        result += all[range.upperBound...]
        return result
    }

    private static func without<T>(_ index: Int, of all: [T]) -> [T] {
        var result: [T] = []
        result.reserveCapacity(all.count - 1)
        result += all[..<index]
        result += all[(index + 1)...]
        return result
    }

    // MARK: Finding

    private static func visit(_ part: Part, _ body: (ChildKey, Value) -> Void) {
        switch part {
        case .page(let entries): for entry in entries { body(entry.key, entry.value) }
        case .branch(let branch): for part in branch.parts { visit(part, body) }
        }
    }

    private static func map(_ part: Part, _ transform: (Value) -> Value) -> Part {
        switch part {
        case .page(let entries):
            .page(entries.map { Entry(key: $0.key, value: transform($0.value)) })
        case .branch(let branch):
            .branch(Branch(branch.keys, branch.parts.map { map($0, transform) }))
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
