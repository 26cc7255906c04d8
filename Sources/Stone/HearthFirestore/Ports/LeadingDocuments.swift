package import HearthModel

/// The first documents of a scan: all of them, or the best few by the query's order.
///
/// Shape: a binary heap with the worst kept document on top, so that most candidates of a long
/// scan are turned away by one comparison. Insertion O(log k), k the number kept.
package struct LeadingDocuments: Sendable {
    private let order: DocumentOrder
    private let countMax: Int?
    private let isReversed: Bool
    private var heap: [Document] = []

    /// Keeps what `scan` asks for.
    package init(of scan: DocumentScan) {
        order = scan.query.order
        countMax = scan.firstCount
        isReversed = scan.query.limit?.end == .last
    }

    /// The documents kept so far, in no order.
    package var documents: [Document] { heap }

    /// The document that the next better one replaces, once as many as wanted are kept.
    package var worst: Document? { countMax.map { heap.count >= $0 } ?? false ? heap.first : nil }

    /// Offers a document.
    ///
    /// - Returns: What is not kept: a document that the new document has replaced, or the new document;
    ///   `nil` if there was a place.
    @discardableResult
    package mutating func insert(_ document: Document) -> Document? {
        guard let countMax else {
            heap.append(document)
            return nil
        }
        if heap.count < countMax {
            heap.append(document)
            rise()
            return nil
        }
        guard let worst = heap.first, precedes(document, worst) else { return document }
        heap[0] = document
        sink()
        return worst
    }

    /// Offers a document, and makes room for the document if it is kept.
    ///
    /// - Returns: Whether there was room.
    package mutating func insert(_ document: Document, within bounds: ScanBounds) -> Bool {
        let left = insert(document)
        if bounds.room == nil || left?.key == document.key { return true }
        if let left { bounds.letGo(left) }
        return bounds.hold(document)
    }

    private func precedes(_ left: Document, _ right: Document) -> Bool {
        let result = order.compare(left, right)
        return isReversed ? result > 0 : result < 0
    }

    private mutating func rise() {
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard precedes(heap[parent], heap[index]) else { return }
            heap.swapAt(parent, index)
            index = parent
        }
    }

    private mutating func sink() {
        var index = 0
        while true {
            var worst = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if precedes(heap[worst], heap[child]) { worst = child }
            }
            if worst == index { return }
            heap.swapAt(worst, index)
            index = worst
        }
    }
}
