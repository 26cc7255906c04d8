import HashTreeCollections
package import HearthModel

/// A value for each of many batches whose numbers lie close together.
///
/// A leaf has sixteen batches, so the next batch is mostly in the leaf of the batch before.
///
/// Persistent: a copy is cheap.
package struct BatchMap<Value: Sendable>: Sendable {
    fileprivate struct Leaf: Sendable {
        var values = ContiguousArray<Value?>(repeating: nil, count: BatchMap.leafSize)
        var count = 0
    }

    private static var leafSize: Int { 16 }

    private var leaves: TreeDictionary<Int64, Leaf> = [:]

    /// Nothing for any batch.
    package init() {}

    /// Whether there is nothing for any batch.
    package var isEmpty: Bool { leaves.isEmpty }

    /// What there is for a batch.
    package subscript(batch: BatchID) -> Value? {
        let (place, offset) = Self.place(of: batch)
        return leaves[place]?.values[offset]
    }

    /// Sets the value for a batch, and returns the value from before.
    package mutating func updateValue(_ value: Value, for batch: BatchID) -> Value? {
        let (place, offset) = Self.place(of: batch)
        return leaves[place, default: Leaf()].exchange(value, at: offset)
    }

    /// Removes the value for a batch, and returns the value.
    package mutating func removeValue(for batch: BatchID) -> Value? {
        let (place, offset) = Self.place(of: batch)
        guard let (old, isLast) = leaves[place]?.clear(offset) else { return nil }
        if isLast { leaves[place] = nil }
        return old
    }

    private static func place(of batch: BatchID) -> (leaf: Int64, offset: Int) {
        let (leaf, offset) = batch.rawValue.quotientAndRemainder(dividingBy: Int64(leafSize))
        return (leaf, Int(offset))
    }
}

extension BatchMap.Leaf {
    fileprivate mutating func exchange(_ value: Value, at offset: Int) -> Value? {
        let old = values[offset]
        values[offset] = value
        if old == nil { count += 1 }
        return old
    }

    /// What there was, and whether nothing is left.
    fileprivate mutating func clear(_ offset: Int) -> (old: Value?, isLast: Bool) {
        let old = values[offset]
        values[offset] = nil
        if old != nil { count -= 1 }
        return (old, count == 0)
    }
}
