package import HearthModel

/// The number of an index in its store. Never used again after the index is removed.
package struct IndexID: Hashable, Comparable, Sendable {
    /// The number, rising from 1.
    package let rawValue: Int64

    /// Wraps a number.
    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// An index as a store keeps it.
package struct StoredIndex: Hashable, Sendable {
    /// Its number.
    package let id: IndexID
    /// What it lists.
    package let index: FieldIndex
    /// Whether the engine made the index for a query, and not on somebody's order.
    package var isAutomatic: Bool
    /// Whether the index lists every document: only then may queries use the index.
    package var isComplete: Bool

    /// Describes a stored index.
    ///
    /// - Parameters:
    ///   - id: The index's number.
    ///   - index: What the index lists.
    ///   - isAutomatic: Whether the engine made the index for a query, and not on somebody's order.
    ///   - isComplete: Whether the index lists every document: only then may queries use the index.
    package init(id: IndexID, index: FieldIndex, isAutomatic: Bool, isComplete: Bool) {
        self.id = id
        self.index = index
        self.isAutomatic = isAutomatic
        self.isComplete = isComplete
    }
}

/// A walk through an index for the local documents of a query.
package struct IndexScan: Sendable {
    /// The index, which is complete.
    package let index: StoredIndex
    /// Which entries.
    package let ranges: [IndexRange]
    /// Whether to go from the last entry to the first.
    package let isReversed: Bool
    /// The query that documents must match. The query's limit counts from the start of the order.
    package let query: Query
    /// How many of the first matches are wanted of each range; `nil` for all. More may be returned.
    package let firstCount: Int?
    /// The fields of the query's order that the entries follow, if any.
    ///
    /// Beyond `firstCount` the walk goes on until one of the fields differs, unless `isExact`. If
    /// there are no fields and not `isOrdered`, the walk must see all entries.
    package let orderedFields: [FieldPath]
    /// Whether the entries follow the query's order in all but perhaps the key.
    package let isOrdered: Bool
    /// Whether the entries follow the query's order to the end, the key included.
    package let isExact: Bool
    /// When the walk ends early.
    package let bounds: ScanBounds
}

/// What one slice of backfilling did.
package struct BackfillProgress: Hashable, Sendable {
    /// Documents listed, entries removed.
    package let count: Int
    /// Whether every index lists every document, and nothing of a removed one is left.
    package let isDone: Bool

    /// Reports a slice.
    package init(count: Int, isDone: Bool) {
        self.count = count
        self.isDone = isDone
    }
}
