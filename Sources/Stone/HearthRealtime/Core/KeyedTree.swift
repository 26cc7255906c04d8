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
        set { update(key) { _ in newValue } }
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

    /// Makes another value of a key's value on one way down. Before and after there may be no value.
    mutating func update(_ key: ChildKey, _ change: (Value?) -> Value?) {
        guard let root else {
            guard let value = change(nil) else { return }
            (self.root, count) = (.page([Entry(key: key, value: value)]), 1)
            return
        }
        switch changing(key, in: root, change) {
        case .same: return
        case .gone: self.root = nil
        case .one(let part): self.root = part
        case .two(let first, let least, let second):
            // The key of the first is never looked at, so any key serves.
            self.root = .branch(Branch([least, least], [first, second]))
        }
        while case .branch(let branch) = self.root, branch.parts.count == 1 {
            self.root = branch.parts[0]
        }
    }

    /// What becomes of a part in which one value changes.
    private enum Outcome {
        /// There was no value, and there is none.
        case same
        /// Nothing is left.
        case gone
        case one(Part)
        /// It grew too wide: two parts, with the least key of the second.
        case two(Part, ChildKey, Part)
    }

    private mutating func changing(
        _ key: ChildKey, in part: Part, _ change: (Value?) -> Value?
    ) -> Outcome {
        switch part {
        case .page(let entries): changing(key, in: entries, change)
        case .branch(let branch): changing(key, in: branch, change)
        }
    }

    private mutating func changing(
        _ key: ChildKey, in entries: [Entry], _ change: (Value?) -> Value?
    ) -> Outcome {
        let index = Self.lowerBound(of: key, in: entries)
        let isThere = Self.isThere(key, at: index, in: entries)
        guard let value = change(isThere ? entries[index].value : nil) else {
            guard isThere else { return .same }
            count -= 1
            let rest = Self.without(index, of: entries)
            return rest.isEmpty ? .gone : .one(.page(rest))
        }
        if !isThere { count += 1 }
        let range = index..<(isThere ? index + 1 : index)
        let all = Self.splice(Entry(key: key, value: value), over: range, of: entries)
        guard let cut = Self.cut(all.count, insertedAt: index) else { return .one(.page(all)) }
        return .two(.page(Array(all[..<cut])), all[cut].key, .page(Array(all[cut...])))
    }

    private mutating func changing(
        _ key: ChildKey, in branch: Branch, _ change: (Value?) -> Value?
    ) -> Outcome {
        let place = Self.place(of: key, in: branch.keys)
        switch changing(key, in: branch.parts[place], change) {
        case .same: return .same
        case .gone:
            let parts = Self.without(place, of: branch.parts)
            return parts.isEmpty
                ? .gone : .one(.branch(Branch(Self.without(place, of: branch.keys), parts)))
        case .one(let part):
            return .one(
                .branch(Branch(branch.keys, Self.replacing(part, at: place, of: branch.parts))))
        case .two(let first, let least, let second):
            let behind = place + 1
            let keys = Self.splice(least, over: behind..<behind, of: branch.keys)
            let parts = Self.splice(
                second, over: behind..<behind,
                of: Self.replacing(first, at: place, of: branch.parts))
            guard let cut = Self.cut(parts.count, insertedAt: behind) else {
                return .one(.branch(Branch(keys, parts)))
            }
            let left = Branch(Array(keys[..<cut]), Array(parts[..<cut]))
            let right = Branch(Array(keys[cut...]), Array(parts[cut...]))
            return .two(.branch(left), keys[cut], .branch(right))
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

    private static func replacing<T>(_ new: T, at index: Int, of all: [T]) -> [T] {
        var result = all
        result[index] = new
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
