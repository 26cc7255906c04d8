import HearthFirestore
import HearthModel
import HearthProtocol

/// What a scan has found so far.
struct ScanFindings {
    let matcher: ScanMatcher
    /// Whether only the first few are wanted.
    let isLimited: Bool
    /// Whether the order of names alone says which are first.
    let isKeyOrdered: Bool
    /// Which end of the names comes first.
    let isDescending: Bool
    /// The results, if all are wanted.
    var documents: [DocumentKey: Document] = [:]
    /// Excerpts of the first few, if those are wanted.
    var leading: LeadingDocuments
    /// The results added up, if only that is wanted.
    var tally: AggregateComputation?
    var scannedCount = 0
    /// The collections of a group that were scanned whole.
    var collectionCount = 0
    /// What the bounds of the scan count.
    var stepCount: Int { scannedCount + collectionCount }
    /// Whether the scan has come to its bounds.
    var isCut = false
    private var byteCount = 0

    init(_ scan: DocumentScan, _ codec: FirestoreCodec) {
        let order = scan.query.order
        let isReversed = scan.query.limit?.end == .last
        matcher = ScanMatcher(scan.query, having: scan.having, codec)
        tally = scan.tally
        isLimited = scan.firstCount != nil
        isKeyOrdered = isLimited && order.orderBys.count == 1
        isDescending = (order.orderBys.first?.direction == .descending) != isReversed
        leading = LeadingDocuments(of: scan)
    }

    /// Keeps a result, unless the scan then holds too much.
    mutating func keep(_ document: Document, _ bounds: ScanBounds) {
        if bounds.byteCountMax != nil {
            byteCount += document.fields.byteCountBound
            guard bounds.admits(byteCount: byteCount) else {
                isCut = true
                return
            }
        }
        guard bounds.hold(document) else {
            isCut = true
            return
        }
        documents[document.key] = document
    }

    /// Offers an excerpt of a result to the first few, unless the scan then holds too much.
    mutating func offer(_ excerpt: Document, _ bounds: ScanBounds) {
        if !leading.insert(excerpt, within: bounds) { isCut = true }
    }
}
