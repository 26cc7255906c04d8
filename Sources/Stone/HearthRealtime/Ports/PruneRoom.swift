/// How much of the cached tree a turn may still prune.
package struct PruneRoom: Hashable, Sendable {
    /// Rows of the disk; in memory leaves.
    package private(set) var rowCount: Int
    /// Bytes of these. The last row may exceed this by its own size.
    package private(set) var byteCount: Int

    /// Room for some rows and bytes, 1 or more of each.
    package init(rowCount: Int, byteCount: Int) {
        self.rowCount = rowCount
        self.byteCount = byteCount
    }

    /// Whether nothing more fits.
    package var isUsedUp: Bool { rowCount <= 0 || byteCount <= 0 }

    /// Rows are pruned.
    package mutating func take(_ rows: Int = 1, byteCount bytes: Int) {
        rowCount -= rows
        byteCount -= bytes
    }
}
