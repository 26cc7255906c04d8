import HearthSQLite

/// What a store of documents remembers at most.
extension StoreLimits {
    /// Collections whose row ids are remembered; beyond it the memory starts afresh.
    static let collectionCountMax = 10_000
    /// About what an answered write that is remembered takes in the file, with its place by age.
    static let recordByteCount = 160
    /// Rows of documents that a group remembers; beyond it the memory starts afresh.
    static let rowCountMax = 4_096
    /// Documents that a group remembers whole: those of one write, mostly.
    static let documentCountMax = 16
    /// Clients whose forgotten writes are remembered; beyond it the memory starts afresh.
    static let clientCountMax = 10_000
    /// Values that one slice of building an index holds to sort them; it ends with the document that
    /// goes beyond it.
    static let indexRunByteCountMax = 1 << 20
    /// How many documents' work it is to list an overlay, whose document is computed.
    static let overlayWeight = 8
}
