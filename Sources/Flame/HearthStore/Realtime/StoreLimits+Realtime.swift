import HearthSQLite

/// The limits of a Realtime Database's store.
extension StoreLimits {
    /// How many bytes a node in one row may have; a string alone may have more.
    ///
    /// With its place such a row fits on a page of SQLite's beside three others, without a page of
    /// its own for the rest of the row. A change of the node writes no more than this.
    static let chunkByteCountMax = 896
    /// About how many bytes a row takes beside its place and its node.
    static let chunkRowByteCount = 8
    /// The largest node that the intake log tells; a larger one has its group committed.
    static let toldNodeByteCountMax = 64 << 10
}
