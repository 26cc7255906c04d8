import HearthSQLite

/// What a store of documents remembers at most.
extension StoreLimits {
    /// Collections whose row ids are remembered; beyond it the memory starts afresh.
    static let collectionCountMax = 10_000
    /// Collections of a group that are read at once.
    static let collectionPageCount = 256
    /// About how many bytes a remembered answered write takes in the file.
    ///
    /// Includes the write's place by age.
    static let recordByteCount = 160
    /// About this part of the history's bytes, an eighth, is free room in pages that are not full.
    /// Rows of most sizes leave a twelfth of a page free at most; rows of half a page leave the
    /// eighth.
    static let historyPageShare = 8
    /// Rows of documents that a group remembers; beyond it the memory starts afresh.
    static let rowCountMax = 4_096
    /// Documents that a group remembers whole: the documents of one write, mostly.
    static let documentCountMax = 16
    /// Clients whose forgotten writes are remembered; beyond it the memory starts afresh.
    static let clientCountMax = 10_000
    /// How many bytes of values a slice of building an index holds and sorts.
    ///
    /// The slice ends with the document that goes beyond the limit.
    static let indexRunByteCountMax = 1 << 20
    /// The work of listing an overlay, in documents. The overlay's document has to be computed.
    static let overlayWeight = 8
    /// Documents of a page that is carried elsewhere.
    static let pageDocumentCountMax = 500
    /// Bytes of a page that is carried elsewhere; the page ends with the document that goes beyond.
    static let pageByteCountMax = 4 << 20
}
