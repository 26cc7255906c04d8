import HashTreeCollections
import HearthModel

/// Something for each of many batches, whose numbers lie close together: sixteen to a leaf, so that
/// one after the other they are found where the last was.
///
/// Persistent: a copy is cheap.
struct BatchMap<Value: Sendable>: Sendable {
    fileprivate struct Leaf: Sendable {
        var values = ContiguousArray<Value?>(repeating: nil, count: BatchMap.leafSize)
        var count = 0
    }

    private static var leafSize: Int { 16 }

    private var leaves: TreeDictionary<Int64, Leaf> = [:]

    /// Nothing for any batch.
    init() {}

    /// Whether there is nothing for any batch.
    var isEmpty: Bool { leaves.isEmpty }

    /// What there is for a batch.
    subscript(batch: BatchID) -> Value? {
        let (place, offset) = Self.place(of: batch)
        return leaves[place]?.values[offset]
    }

    /// Puts something for a batch in place of what there was, which is returned.
    mutating func updateValue(_ value: Value, for batch: BatchID) -> Value? {
        let (place, offset) = Self.place(of: batch)
        return leaves[place, default: Leaf()].exchange(value, at: offset)
    }

    /// Takes away what there is for a batch, and returns it.
    mutating func removeValue(for batch: BatchID) -> Value? {
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
