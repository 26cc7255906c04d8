import HearthModel

extension ViewTable {
    /// About how many bytes the documents take that views show.
    ///
    /// Among the views that look at one place only the largest counts, since the others may show
    /// the same documents. A sample from each view gives the size of a document.
    ///
    /// - Complexity: O(views * log documents).
    var shownByteCount: Int {
        var largest: [ResourcePath: (view: ViewID, count: Int)] = [:]
        var (group, groupCount) = (ViewID?.none, 0)
        for id in rows.ids {
            guard let view = rows[id]?.view else { continue }
            let count = view.documents.count
            if view.query.collectionGroup != nil {
                if count > groupCount { (group, groupCount) = (id, count) }
            } else if count > largest[view.query.path]?.count ?? 0 {
                largest[view.query.path] = (id, count)
            }
        }
        var sum = 0
        for (path, entry) in largest {
            // A document that is shown by itself may be shown by a view of its collection too.
            if let key = DocumentKey(path), largest[key.collection] != nil { continue }
            sum += byteCount(of: entry.view)
        }
        return max(sum, group.map { byteCount(of: $0) } ?? 0)
    }

    /// About how many bytes the documents take that a query's view shows; 0 without a view.
    ///
    /// - Complexity: O(log documents).
    func byteCount(of query: Query) -> Int { id(of: query).map { byteCount(of: $0) } ?? 0 }

    private func byteCount(of id: ViewID) -> Int {
        guard let documents = rows[id]?.view.documents, documents.count > 0 else { return 0 }
        let step = max(1, documents.count / ViewSizes.sampleCount)
        let places = stride(from: 0, to: documents.count, by: step)
        var (sum, count) = (0, 0)
        for place in places {
            sum += documents[place].byteCount
            count += 1
        }
        return sum / count * documents.count
    }
}

private enum ViewSizes {
    /// How many documents of a view the engine measures to estimate all documents.
    ///
    /// Enough to be right within a tenth or so.
    static let sampleCount = 64
}
